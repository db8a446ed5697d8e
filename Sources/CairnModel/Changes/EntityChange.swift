/// The change of one entity between two versions of a model.
package struct EntityChange: Sendable, Hashable {
    /// The entity in the old model, or `nil` if the entity was added.
    package var old: EntityDescription?
    /// The entity in the new model, or `nil` if the entity was removed.
    package var new: EntityDescription?
    /// The settings that differ, in the order of `EntityAspect.allCases`. Empty for an entity that was added
    /// or removed.
    package var aspects: [EntityAspect] = []
    /// The changes of all properties, including inherited ones, sorted by name. Empty for an entity that was
    /// added or removed.
    package var properties: [PropertyChange] = []
    /// Uniqueness constraints that only the new entity declares, with the new property names.
    package var addedConstraints: [[String]] = []
    /// Uniqueness constraints that only the old entity declares, with the old property names.
    package var removedConstraints: [[String]] = []
    /// Indexes that were added, removed or changed.
    package var indexes: [NamedChange<FetchIndexDescription>] = []
    /// Indexes in the older form, compound indexes, that only the new entity declares.
    package var addedCompoundIndexes: [[String]] = []
    /// Indexes in the older form, compound indexes, that only the old entity declares.
    package var removedCompoundIndexes: [[String]] = []

    /// The name in the new model, or in the old one if the entity was removed.
    package var name: String { (new ?? old)?.name ?? "" }

    /// Whether the entity is the same in both models.
    var isEmpty: Bool {
        old != nil && new != nil && aspects.isEmpty && properties.isEmpty
            && addedConstraints.isEmpty && removedConstraints.isEmpty && indexes.isEmpty
            && addedCompoundIndexes.isEmpty && removedCompoundIndexes.isEmpty
    }
}
