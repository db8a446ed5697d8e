import Cairn

/// Collects the pairs of some relationships, in order to report pairs without a pair in the opposite
/// direction.
struct PairCollector {
    private struct Pair: Hashable {
        let relationship: Relationship
        let owner: ObjectID
        let member: ObjectID
    }

    private var pairs = Set<Pair>()
    private let wanted: Set<Relationship>

    /// - Parameter relationships: the relationships whose pairs are collected, and those of their inverses.
    init(_ relationships: [Relationship]) {
        wanted = Set(relationships + relationships.compactMap(\.inverse))
    }

    /// Adds a pair, if it belongs to one of the collected relationships.
    mutating func add(_ relationship: Relationship, from owner: ObjectID, to member: ObjectID) {
        guard wanted.contains(relationship) else { return }
        pairs.insert(Pair(relationship: relationship, owner: owner, member: member))
    }

    /// Returns a problem for each pair whose inverse is missing, ordered by owner.
    func problems(in model: ManagedObjectModel) -> [StoreVerifier.Problem] {
        pairs.filter { pair in
            guard let inverse = pair.relationship.inverse else { return false }
            return !pairs.contains(
                Pair(relationship: inverse, owner: pair.member, member: pair.owner))
        }
        .sorted { ($0.owner.rootEntity, $0.owner.key) < ($1.owner.rootEntity, $1.owner.key) }
        .map { pair in
            StoreVerifier.Problem(
                object: pair.owner.shortName(in: model), property: pair.relationship.name,
                detail: "leads to \(pair.member.shortName(in: model)), whose"
                    + " \(pair.relationship.inverse?.name ?? "inverse") does not lead back")
        }
    }
}
