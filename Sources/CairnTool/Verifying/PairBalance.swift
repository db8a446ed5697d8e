import Cairn

/// Compares the two directions of each relationship that has an inverse: every walk there must
/// have one walk back.
///
/// Each direction adds up a hash of its pairs; equal sums mean equal pairs but for a chance of one
/// in 2⁶⁴. So a relationship of any size takes a few words.
struct PairBalance {
    private struct Walks {
        var count = 0
        /// Over (owner, member), and over (member, owner).
        var sum: UInt64 = 0
        var mirroredSum: UInt64 = 0
    }

    private var walks: [Relationship: Walks] = [:]

    /// Adds one walk along a relationship.
    mutating func add(_ relationship: Relationship, from owner: ObjectID, to member: ObjectID) {
        guard relationship.inverse != nil else { return }
        walks[relationship, default: Walks()].count += 1
        walks[relationship, default: Walks()].sum &+= Self.hash(owner, member)
        walks[relationship, default: Walks()].mirroredSum &+= Self.hash(member, owner)
    }

    /// The relationships whose two directions differ, each pair of inverses once.
    func unbalanced(in model: ManagedObjectModel) -> [Relationship] {
        model.entities.flatMap(\.ownRelationships).filter { relationship in
            guard let inverse = relationship.inverse, relationship.ownsPairs else { return false }
            let there = walks[relationship] ?? Walks()
            let back = walks[inverse] ?? Walks()
            return there.count != back.count || there.sum != back.mirroredSum
        }
    }

    private static func hash(_ first: ObjectID, _ second: ObjectID) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(first)
        hasher.combine(second)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}

extension Entity {
    fileprivate var ownRelationships: [Relationship] {
        relationships.filter { $0.entity == self }
    }
}
