import CairnModel

/// Checks that the relationships of two versions are stored in the same form, so that no reference
/// has to move between columns and join tables.
struct RelationshipContinuity {
    private let pairs: EntityPairs
    /// The store's relationship that each declared relationship of the new version continues.
    private(set) var oldRelationships: [Relationship: Relationship] = [:]

    /// Returns `nil` if references have to move.
    init?(_ pairs: EntityPairs) {
        self.pairs = pairs
        var claimed: Set<Relationship> = []
        let relationships = pairs.new.entities.flatMap(\.entity.ownRelationships)
        for relationship in relationships {
            let found = Set(
                relationship.entity.hierarchy.compactMap {
                    pairs.oldRelationship(of: relationship, in: $0)
                })
            // Several relationships became one, or one became several.
            guard found.count < 2 else { return nil }
            guard let old = found.first else { continue }
            guard claimed.insert(old).inserted else { return nil }
            oldRelationships[relationship] = old
        }
        guard relationships.allSatisfy(keepsForm) else { return nil }
    }

    private enum Form {
        case column
        /// A column of the inverse.
        case inverseColumn
        /// The pairs of a many-to-many relationship.
        case pairs
        /// The pairs of a relationship without an inverse.
        case pairsOfOneSide
    }

    private func form(of relationship: Relationship) -> Form {
        guard relationship.isToMany else { return .column }
        guard let inverse = relationship.inverse else { return .pairsOfOneSide }
        return inverse.isToMany ? .pairs : .inverseColumn
    }

    private func keepsForm(_ relationship: Relationship) -> Bool {
        guard let old = oldRelationships[relationship] else { return true }
        guard form(of: old) == form(of: relationship) else { return false }
        let root = relationship.destination.rootEntity
        // Only copying checks each destination, and leaves out objects that stay but no longer fit.
        let isRequired = !relationship.isToMany && !relationship.isOptional
        let lost = pairs.changes.lostDestinations(of: relationship, continuing: old)
        if isRequired, old.isOptional || !lost.isEmpty { return false }
        if lost.contains(where: { pairs.new(of: $0) != nil }) { return false }
        // Both ends of a relationship between stores may be missing in this store.
        if let before = pairs.oldRoot(of: root) {
            guard before == old.destination.rootEntity else { return false }
        } else if pairs.new.storeNumber(of: root.number) != nil {
            return false
        }
        return keepsInverse(relationship, old)
    }

    private func keepsInverse(_ relationship: Relationship, _ old: Relationship) -> Bool {
        guard let inverse = relationship.inverse else { return true }
        let before = oldRelationships[inverse]
        if (inverse == relationship) != (old.inverse == old) { return false }
        if relationship.isToMany || !inverse.isToMany {
            return before != nil && before == old.inverse
        }
        // The column of a to-one relationship already determines the members of a new inverse.
        return before == nil || before == old.inverse
    }
}
