import CairnModel

/// The pairs of one many-to-many relationship, which can be found from both sides.
struct PairTables: Sendable {
    /// The pairs by (owner, member), with the member's order key.
    let forward: LMDBTable
    /// The pairs by (member, owner), with the owner's order key. The same table as `forward` if the
    /// relationship is its own inverse.
    let backward: LMDBTable
}
