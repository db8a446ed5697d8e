import CairnModel

/// A relationship and the slots of its value at both ends.
///
/// A property has the same slot in all subentities, so one binding applies to every object at either
/// end.
@usableFromInline package final class RelationshipBinding {
    package let relationship: Relationship
    package let name: String
    let storage: PropertySlot
    package let isToMany: Bool
    package let isOrdered: Bool
    let isTransient: Bool
    let deleteRule: DeleteRule
    /// Whether membership is stored in pairs instead of in the members' rows.
    let isManyToMany: Bool
    /// The entities whose objects the relationship may lead to.
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
