import CairnModel
import CairnRows

/// The data that a table keeps for the rows of one concrete entity.
struct EntityPlan: Sendable {
    let rootEntity: EntityNumber
    /// The slots whose bytes might be stored outside of the row.
    let externalSlots: [RowLayout.Slot]
    var indexes: [EntityIndex] = []
    /// The pair tables in which objects of the entity are owners, and those in which they are
    /// members.
    var ownedPairTables: [Int] = []
    var memberPairTables: [Int] = []
    /// The orders of one-to-many relationships in which objects of the entity are members.
    var memberOrders: [MemberOrderPlan] = []
}
