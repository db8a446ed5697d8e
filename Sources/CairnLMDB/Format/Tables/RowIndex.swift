import CairnModel
import CairnRows

/// An index, with the slot of its values in the rows of one entity.
struct RowIndex: Sendable {
    let table: LMDBTable
    let slot: RowLayout.Slot
}
