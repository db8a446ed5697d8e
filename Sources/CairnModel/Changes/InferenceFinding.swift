/// One consequence of a migration without a mapping model for an entity or a property.
public struct InferenceFinding: Sendable, Hashable {
    /// The name of the entity in the new model, or in the old one if it was removed.
    public var entity: String
    /// The name of the property in the new model, or in the old one if it was removed. `nil` if the finding
    /// is about the entity itself.
    public var property: String?
    /// A clause without a full stop that gives the reason. For a refusal, it also says what to do.
    public var reason: String

    /// Creates a finding about an entity, or about one of its properties, with a reason.
    package init(_ entity: String, _ property: String? = nil, _ reason: String) {
        self.entity = entity
        self.property = property
        self.reason = reason
    }
}

extension InferenceFinding: CustomStringConvertible {
    /// The entity, the property and the reason, such as `Book.title: it is required and …`.
    public var description: String {
        entity + (property.map { ".\($0)" } ?? "") + ": " + reason
    }
}
