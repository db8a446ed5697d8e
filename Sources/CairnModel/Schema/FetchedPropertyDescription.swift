/// The description of a property whose value is the result of a fetch.
public struct FetchedPropertyDescription: Sendable, Hashable {
    /// The name, which is case-sensitive and unique among the entity's properties, including inherited ones.
    public var name: String
    /// The fetch request. The variable `FETCH_SOURCE` in it is the object that has the property.
    public var template: FetchRequestTemplate
    /// Core Data's flag. Only preserved in model files, because an empty result is always valid.
    public var isOptional = true
    /// Additional information from the author. It is preserved in every file format of models and has no
    /// other effect.
    public var userInfo: [String: String] = [:]
    /// The name in the previous version of the model, or `nil` if the name is the same.
    public var renamingIdentifier: String?

    /// Creates a fetched property that executes a template.
    public init(_ name: String, _ template: FetchRequestTemplate) {
        self.name = name
        self.template = template
    }
}
