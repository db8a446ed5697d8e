import CairnModel
import CairnRows

/// The links of a to-one relationship, with its slot in the rows of one entity.
struct RowLink: Sendable {
    let table: LMDBTable
    let slot: RowLayout.Slot
}
