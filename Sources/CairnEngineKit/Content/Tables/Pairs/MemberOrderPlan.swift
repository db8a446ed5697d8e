import CairnModel
import CairnRows

/// An ordered relationship in which objects of an entity are members.
struct MemberOrderPlan: Sendable {
    /// The number of the order in the table.
    let order: Int
    /// The to-one slot that names the owner of a member.
    let owner: RowLayout.Slot
}
