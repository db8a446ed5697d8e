/// A property whose value is the result of a fetch.
public struct FetchedPropertyDescription: Sendable, Hashable {
    /// Unique among the entity's properties, inherited ones included; case matters.
    public var name: String
    /// Run with `FETCH_SOURCE` bound to the owner.
    public var template: FetchRequestTemplate
    /// Core Data's flag, kept for the model's file forms: an empty result is always allowed.
    public var isOptional = true
    /// The author's own texts; kept in every form of the model and read by nothing here.
    public var userInfo: [String: String] = [:]
    /// The name that the previous version of the model used. `nil` if the name is the same.
    public var renamingIdentifier: String?

    /// Declares a fetched property that runs this template.
    public init(_ name: String, _ template: FetchRequestTemplate) {
        self.name = name
        self.template = template
    }
}
