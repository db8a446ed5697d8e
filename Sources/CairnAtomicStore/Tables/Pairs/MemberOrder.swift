import CairnStore

/// The position of a member of an ordered one-to-many among the members of its owner.
struct MemberOrder: Sendable {
    /// The order counts only while the member's row names this owner.
    let owner: Int64
    let orderKey: Int64
}
