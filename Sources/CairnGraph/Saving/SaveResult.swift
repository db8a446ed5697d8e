import CairnModel
import CairnStore

/// What a save did, for the context to adopt.
package struct SaveResult {
    /// The permanent ID of each object that had a temporary one.
    package var permanentIDs: IDReplacements
    /// The inserted and updated rows as the stores have them now.
    package var rows: RowBatch
    /// Set if the save has taken place and a store could not be written yet.
    package var pending: InterruptedSave?

    package init(
        permanentIDs: IDReplacements, rows: RowBatch, pending: InterruptedSave? = nil
    ) {
        self.permanentIDs = permanentIDs
        self.rows = rows
        self.pending = pending
    }

    /// What a save without changes did.
    static let nothing = SaveResult(permanentIDs: IDReplacements(), rows: RowBatch())
}
