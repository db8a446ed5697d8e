import CairnModel
import CairnRows
import CairnStore

/// The result of a save, to be adopted by the context.
package struct SaveResult {
    /// The permanent ID of each object that had a temporary one.
    package var permanentIDs: IDReplacements
    /// The inserted and updated rows in their stored state.
    package var rows: RowBatch
    /// The interruption, if the save has taken place but a store could not be written yet.
    package var pending: InterruptedSave?

    package init(
        permanentIDs: IDReplacements, rows: RowBatch, pending: InterruptedSave? = nil
    ) {
        self.permanentIDs = permanentIDs
        self.rows = rows
        self.pending = pending
    }

    /// The result of a save without changes.
    package static let nothing = SaveResult(permanentIDs: IDReplacements(), rows: RowBatch())
}
