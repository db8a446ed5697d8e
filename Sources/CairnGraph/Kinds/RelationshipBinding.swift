import CairnModel

/// A relationship, and where its value is kept, at this end and at the other one.
///
/// Slot numbers of a property are the same in all subentities, so one binding serves for every
/// object at either end.
final class RelationshipBinding {
    let relationship: Relationship
    let name: String
    let storage: PropertySlot
    let isToMany: Bool
    let isOrdered: Bool
    let isTransient: Bool
    let deleteRule: DeleteRule
    /// Whether membership is in pairs, not in the members' rows.
    let isManyToMany: Bool
    /// The entities whose objects it may lead to.
    let destinationNumbers: Range<EntityNumber>
    /// The inverse, or `nil` if the relationship has none.
    private(set) lazy var inverse = relationship.inverse.map(RelationshipBinding.init)

    init(_ relationship: Relationship) {
        self.relationship = relationship
        name = relationship.name
        storage = PropertySlot(of: relationship)
        isToMany = relationship.isToMany
        isOrdered = relationship.isOrdered
        isTransient = relationship.isTransient
        deleteRule = relationship.deleteRule
        isManyToMany = relationship.isManyToMany
        destinationNumbers = relationship.destination.hierarchyNumbers
    }
}
