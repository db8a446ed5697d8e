/// One thing that a migration without a mapping model means for an entity or a property.
public struct InferenceFinding: Sendable, Hashable {
    /// The name of the entity in the new model, or in the old one if it was removed.
    public var entity: String
    /// The name of the property in the new model, or in the old one if it was removed; `nil` if the
    /// entity itself is meant.
    public var property: String?
    /// A clause without a full stop that says why, and for a refusal also what to do.
    public var reason: String

    /// Names an entity, or one of its properties, and says why.
    public init(_ entity: String, _ property: String? = nil, _ reason: String) {
        self.entity = entity
        self.property = property
        self.reason = reason
    }
}

extension InferenceFinding: CustomStringConvertible {
    /// The entity, the property and the reason: `Book.title: it is required and …`.
    public var description: String {
        entity + (property.map { ".\($0)" } ?? "") + ": " + reason
    }
}
