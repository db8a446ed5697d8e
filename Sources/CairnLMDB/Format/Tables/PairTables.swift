import CairnModel
import CairnStore

/// The pairs of one many-to-many relationship, found from either side.
struct PairTables: Sendable {
    /// (owner, member), and where the member stands.
    let forward: LMDBTable
    /// (member, owner), and where the owner stands; where both sides are one, `forward` itself.
    let backward: LMDBTable
}
