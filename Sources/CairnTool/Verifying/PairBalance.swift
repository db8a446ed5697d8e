import Cairn

/// A comparison of the two directions of each relationship that has an inverse. Every pair of objects in one
/// direction must also be a pair in the other direction.
///
/// For each direction, this type adds up hashes of the pairs. Equal sums mean equal pairs, except with a
/// probability of 1 in 2⁶⁴. A relationship of any size therefore needs only a few words of memory.
struct PairBalance {
    private struct Walks {
        var count = 0
        /// The sum of the hashes of (owner, member). `mirroredSum` is that of (member, owner).
        var sum: UInt64 = 0
        var mirroredSum: UInt64 = 0
    }

    private var walks: [Relationship: Walks] = [:]

    /// Adds one pair of a relationship.
    mutating func add(_ relationship: Relationship, from owner: ObjectID, to member: ObjectID) {
        guard relationship.inverse != nil else { return }
        walks[relationship, default: Walks()].count += 1
        walks[relationship, default: Walks()].sum &+= Self.hash(owner, member)
        walks[relationship, default: Walks()].mirroredSum &+= Self.hash(member, owner)
    }

    /// Returns the relationships whose two directions differ. For two inverse relationships, returns only one
    /// of them.
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
