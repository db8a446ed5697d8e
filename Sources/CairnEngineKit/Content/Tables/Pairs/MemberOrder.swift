/// The position of a member of an ordered one-to-many relationship among the members of its owner.
struct MemberOrder: Sendable {
    /// The order key is valid only while the member's row names this owner.
    let owner: Int64
    let orderKey: Int64
}
