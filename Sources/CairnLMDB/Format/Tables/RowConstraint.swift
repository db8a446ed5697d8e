import CairnModel
import CairnRows

/// A uniqueness constraint, with the slots of its values in the rows of one entity.
struct RowConstraint: Sendable {
    /// The index of the constraint in ``StoreTables/constraints``.
    let number: Int
    let table: LMDBTable
    let slots: [RowLayout.Slot]
}
