import CairnModel

/// A many-to-many relationship, whose pairs a store keeps once, under the side that owns them.
package struct PairRelationship {
    /// The side that owns the pairs.
    package let owning: Relationship

    /// Returns `nil` unless the relationship is stored as pairs and owns them. See
    /// ``CairnModel/Relationship/ownsPairs``.
    package init?(_ relationship: Relationship) {
        guard !relationship.isTransient, relationship.isManyToMany, relationship.ownsPairs else {
            return nil
        }
        owning = relationship
    }

    /// Whether the relationship is its own inverse.
    package var isSymmetric: Bool { owning.inverse == owning }

    /// The relationships that are read from the pairs, each with whether it is the side that owns them.
    package var sides: [(relationship: Relationship, isForward: Bool)] {
        guard let inverse = owning.inverse, !isSymmetric else { return [(owning, true)] }
        return [(owning, true), (inverse, false)]
    }

    /// The entities whose objects can be owners in the pairs.
    package var ownerEntities: [Entity] { Array(owning.entity.hierarchy) }

    /// The entities whose objects can be members in the pairs. They are found by the root, because an inverse
    /// may be declared above the destination.
    package var memberEntities: [Entity] { Array(owning.destination.rootEntity.hierarchy) }
}
