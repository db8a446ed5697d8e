import CairnModel

/// A many-to-many relationship. A store keeps each of its pairs once, for the side that owns the
/// pairs.
package struct PairRelationship {
    /// The side that owns the pairs.
    package let owning: Relationship

    /// Creates the value for the owning side of a many-to-many relationship. Returns `nil` for any
    /// other relationship, and for a transient one. See ``CairnModel/Relationship/ownsPairs``.
    package init?(_ relationship: Relationship) {
        guard !relationship.isTransient, relationship.isManyToMany, relationship.ownsPairs else {
            return nil
        }
        owning = relationship
    }

    /// Whether the relationship is its own inverse.
    package var isSymmetric: Bool { owning.inverse == owning }

    /// The relationships that are read from the pairs. `isForward` says whether the relationship is
    /// the side that owns the pairs.
    package var sides: [(relationship: Relationship, isForward: Bool)] {
        guard let inverse = owning.inverse, !isSymmetric else { return [(owning, true)] }
        return [(owning, true), (inverse, false)]
    }

    /// The entities whose objects can be owners in the pairs.
    package var ownerEntities: [Entity] { Array(owning.entity.hierarchy) }

    /// The entities whose objects can be members in the pairs. These are all entities of the
    /// hierarchy, because an inverse may be declared by a superentity of the destination.
    package var memberEntities: [Entity] { Array(owning.destination.rootEntity.hierarchy) }
}
