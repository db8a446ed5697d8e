import CairnModel
import CairnStore

/// A uniqueness constraint, and the slots of its values in the rows of one entity.
struct RowConstraint: Sendable {
    /// Which of ``StoreTables/constraints``.
    let number: Int
    let table: LMDBTable
    let slots: [RowLayout.Slot]
}
