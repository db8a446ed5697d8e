/// What became of one property of an entity between two versions of a model.
public struct PropertyChange: Sendable, Hashable {
    /// The property as a version of the model has it.
    public struct Side: Sendable, Hashable {
        /// The name of the entity that declares the property: the changed entity or one above it.
        public var declaringEntity: String
        /// The property as declared.
        public var property: PropertyDescription
    }

    /// The property in the old model; `nil` if it was added.
    public var old: Side?
    /// The property in the new model; `nil` if it was removed.
    public var new: Side?
    /// What differs, in the order of `PropertyAspect.allCases`; empty for a property that was added
    /// or removed.
    public var aspects: [PropertyAspect]
    /// Whether the superentity has the same change, from which the entity inherits it.
    public var isInherited = false

    /// The name in the new model, or in the old one if the property was removed.
    public var name: String { (new ?? old)?.property.name ?? "" }
}
