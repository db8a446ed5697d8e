/// What became of one entity between two versions of a model.
public struct EntityChange: Sendable, Hashable {
    /// The entity in the old model; `nil` if it was added.
    public var old: EntityDescription?
    /// The entity in the new model; `nil` if it was removed.
    public var new: EntityDescription?
    /// What differs, in the order of `EntityAspect.allCases`; empty for an entity that was added or
    /// removed.
    public var aspects: [EntityAspect] = []
    /// The changes of all properties, inherited ones included, by name. Empty for an entity that was
    /// added or removed.
    public var properties: [PropertyChange] = []
    /// Uniqueness constraints that only the new entity declares, under the new names.
    public var addedConstraints: [[String]] = []
    /// Uniqueness constraints that only the old entity declares, under the old names.
    public var removedConstraints: [[String]] = []
    /// Indexes that were added, removed or changed.
    public var indexes: [NamedChange<FetchIndexDescription>] = []
    /// Indexes of the older form that only the new entity declares.
    public var addedCompoundIndexes: [[String]] = []
    /// Indexes of the older form that only the old entity declares.
    public var removedCompoundIndexes: [[String]] = []

    /// The name in the new model, or in the old one if the entity was removed.
    public var name: String { (new ?? old)?.name ?? "" }

    /// Whether nothing differs.
    var isEmpty: Bool {
        old != nil && new != nil && aspects.isEmpty && properties.isEmpty
            && addedConstraints.isEmpty && removedConstraints.isEmpty && indexes.isEmpty
            && addedCompoundIndexes.isEmpty && removedCompoundIndexes.isEmpty
    }
}
