import CairnModel
import CairnModelArchive
import CairnStore

/// What is kept for the rows of one concrete entity.
struct EntityPlan: Sendable {
    let rootEntity: EntityNumber
    /// Slots whose bytes might be kept outside of the row.
    let externalSlots: [RowLayout.Slot]
    var indexes: [EntityIndex] = []
    /// Pair tables in which objects of the entity are owners, and in which they are members.
    var ownedPairTables: [Int] = []
    var memberPairTables: [Int] = []
    /// Orders of one-to-many relationships in which objects of the entity are members.
    var memberOrders: [MemberOrderPlan] = []
}
