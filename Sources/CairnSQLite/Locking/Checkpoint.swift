import CairnStore

/// Brings what the write-ahead log holds into the database file.
///
/// - Precondition: the writer lock is held.
struct Checkpoint {
    /// The log's pages beyond which a save brings them over: 4 MiB, as SQLite's own default.
    static let pageLimit = 1000

    let connection: SQLiteConnection

    /// Brings over what no reader still needs. Readers and their speed are not disturbed.
    ///
    /// A failure is not reported: nothing is lost, and the next save tries again.
    func afterSave() {
        guard connection.journalPageCount >= Self.pageLimit else { return }
        try? connection.statement("PRAGMA wal_checkpoint(PASSIVE)").run()
    }

    /// Brings over everything and empties the log after the store's file has lost its name.
    ///
    /// Another file that has the name by now then stands beside an empty log, which SQLite does not
    /// read into it; and the file that lost its name is whole without its log. If a snapshot still
    /// reads from the log, the log stays until the store is closed.
    func afterLossOfName() {
        try? beforeClose()
    }

    /// Brings over everything and empties the log, unless others still read from it.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`.
    func beforeClose() throws(StoreError) {
        do throws(StoreError) {
            // A reader elsewhere may go on for long, and it is not waited for.
            try connection.emptyLog()
        } catch .busy {
            // Whoever else has the store open does it when they close.
        }
    }
}
