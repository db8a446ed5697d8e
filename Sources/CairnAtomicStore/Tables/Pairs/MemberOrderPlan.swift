import CairnModel
import CairnModelArchive
import CairnStore

/// An order in which objects of an entity are members.
struct MemberOrderPlan: Sendable {
    /// Which order of the table.
    let order: Int
    /// The to-one that says whose member an object is.
    let owner: RowLayout.Slot
}
