import CairnStore
import Dispatch

/// Copies the content of the write-ahead log into the database file.
///
/// - Precondition: The caller holds the writer lock.
struct Checkpoint {
    /// The number of pages in the log at which a save starts a checkpoint. 1000 pages are about 4
    /// MiB, as in SQLite's own default.
    static let pageLimit = 1000
    /// The size of the log's file that remains after all of the log was copied. A reader of an old
    /// state, or one large save, can make the file much larger.
    static let keptByteCount = 16 << 20
    /// The number of pages in a log of ``keptByteCount``, if pages have their usual size.
    private static let longPageCount = keptByteCount / 4096

    let connection: SQLiteConnection

    /// Whether the log is so long that its file should become smaller.
    var isLogLong: Bool { connection.journalPageCount >= Self.longPageCount }

    /// Copies the pages that no reader still needs, if the log is long or if the copy is wanted for
    /// another reason. Does not disturb or slow down readers. Makes the file of a very long log
    /// smaller if nobody reads from it.
    ///
    /// A failure is not reported, because nothing is lost and the next save tries again.
    ///
    /// - Returns: Whether the whole log was copied, so that no process reads an older state than
    ///   the newest.
    func afterSave(isWanted: Bool) -> Bool {
        guard isWanted || connection.journalPageCount >= Self.pageLimit else { return false }
        return (try? connection.checkpoint(emptyingLog: isLogLong)) ?? false
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

extension SQLiteStore {
    /// Copies the log after a commit if necessary. If the log then remains long because somebody reads
    /// from it, it is copied again as soon as no snapshot of this store is left.
    ///
    /// - Precondition: The caller holds the writer lock.
    func copyLog(afterSaveOn connection: SQLiteConnection, isWanted: Bool) {
        let checkpoint = Checkpoint(connection: connection)
        if checkpoint.afterSave(isWanted: isWanted) { removeObsoleteFiles() }
        guard checkpoint.isLogLong else { return }
        readers.whenUnused { [weak self] in
            guard let store = self else { return }
            // The thread that ends the snapshot does not wait for the disk.
            DispatchQueue.global(qos: .utility).async { store.copyLogBetweenSaves() }
        }
    }

    /// Copies the log, unless a save is under way: its commit will do that.
    private func copyLogBetweenSaves() {
        guard let lock = try? WriterLock(of: session, timeout: .zero) else { return }
        defer { withExtendedLifetime(lock) {} }
        guard let writer = takeWriterToCopyLog() else { return }
        let checkpoint = Checkpoint(connection: writer.connection)
        if checkpoint.afterSave(isWanted: true) { removeObsoleteFiles() }
        takeBack(writer)
    }
}
