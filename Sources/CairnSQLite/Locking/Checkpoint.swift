import CairnStore

/// Copies the content of the write-ahead log into the database file.
///
/// - Precondition: The caller holds the writer lock.
struct Checkpoint {
    /// The number of pages in the log at which a save starts a checkpoint. 1000 pages are about 4
    /// MiB, as in SQLite's own default.
    static let pageLimit = 1000

    let connection: SQLiteConnection

    /// Copies the pages that no reader still needs, if the log is long or if the copy is wanted for
    /// another reason. Does not disturb or slow down readers.
    ///
    /// A failure is not reported, because nothing is lost and the next save tries again.
    ///
    /// - Returns: Whether the whole log was copied, so that no process reads an older state than
    ///   the newest.
    func afterSave(isWanted: Bool) -> Bool {
        guard isWanted || connection.journalPageCount >= Self.pageLimit else { return false }
        return (try? connection.checkpoint(emptyingLog: false)) ?? false
    }

    /// Copies the whole log into the file and empties the log, after the store's file has lost its
    /// name.
    ///
    /// If another file has that name by now, the log next to it is then empty, so SQLite reads
    /// nothing of it into that file. The file that lost its name is complete without its log. If a
    /// snapshot still reads from the log, the log remains until the store is closed.
    func truncateLogAfterLosingName() {
        _ = try? truncateLogBeforeClosing()
    }

    /// Copies the whole log into the file and empties the log, unless other connections still read
    /// from it. In that case, the other users of the store do it when they close the store.
    ///
    /// Does not wait for readers in other processes, because they may take a long time.
    ///
    /// - Returns: Whether the whole log was copied, so that no process reads an older state than
    ///   the newest.
    /// - Throws: `.corrupt` or `.engineFailure`.
    func truncateLogBeforeClosing() throws(StoreError) -> Bool {
        try connection.checkpoint(emptyingLog: true)
    }
}
