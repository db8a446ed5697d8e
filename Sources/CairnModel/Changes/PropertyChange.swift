/// The change of one property of an entity between two versions of a model.
package struct PropertyChange: Sendable, Hashable {
    /// The property in one of the two versions of the model.
    package struct Side: Sendable, Hashable {
        /// The name of the entity that declares the property: the changed entity or a superentity of it.
        package var declaringEntity: String
        /// The declaration of the property.
        package var property: PropertyDescription
    }

    /// The property in the old model, or `nil` if the property was added.
    package var old: Side?
    /// The property in the new model, or `nil` if the property was removed.
    package var new: Side?
    /// The settings that differ, in the order of `PropertyAspect.allCases`. Empty for a property that was
    /// added or removed.
    package var aspects: [PropertyAspect]
    /// Whether the entity inherits the change from its superentity.
    package var isInherited = false

    /// The name in the new model, or in the old one if the property was removed.
    package var name: String { (new ?? old)?.property.name ?? "" }

    /// The old name, if a stored property was renamed.
    var formerName: String? {
        guard let old = old?.property, let new = new?.property, old.isPersistent, new.isPersistent,
            old.name != new.name
        else { return nil }
        return old.name
    }
}
