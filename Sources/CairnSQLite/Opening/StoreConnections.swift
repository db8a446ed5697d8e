import CairnStore
import Foundation

/// Opens connections to a store's file in the ways that the engine needs.
struct StoreConnections: Sendable {
    let session: FileSession
    let options: SQLiteOptions

    private var files: SQLiteFiles { session.files }

    private var location: StoreLocation { files.location }

    /// Opens a connection for reading.
    ///
    /// Where nothing can be made beside the file, because folder or medium is read-only, no other
    /// process can be writing either: the file is then read without locks.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.corrupt`, `.busy`, `.fileFailure`,
    ///   `.engineFailure`.
    func reader() throws(StoreError) -> SQLiteConnection { try open(readingMode) }

    private var readingMode: SQLiteConnection.Mode {
        if access(files.folder, W_OK) == 0 { return .readOnly }
        return files.journalByteCount > 0 ? .unlocked : .immutable
    }

    /// Opens the connection that sees commits. In a store for saves it is one that may write: it
    /// brings over what a crash left in a journal, and when the store is closed, what is in the log.
    ///
    /// - Throws: `.readOnly`, `.fileRemoved`, `.fileReplaced`, `.corrupt`, `.busy`,
    ///   `.fileFailure`, `.engineFailure`.
    func observer(mayWrite: Bool) throws(StoreError) -> StoreObserver {
        let mode = mayWrite ? .readWrite : readingMode
        let connection = try session.connect { () throws(StoreError) in
            let connection = try SQLiteConnection(
                path: files.path, mode: mode, location: location, busyTimeout: options.timeout,
                readsRows: false)
            if mode == .unlocked { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
            // The first read finds out whether it is a database at all.
            try connection.run("PRAGMA data_version")
            return connection
        }
        if mayWrite, connection.isReadOnly { throw .readOnly(location) }
        return try StoreObserver(connection)
    }

    /// Opens the connection that saves: in write-ahead mode, checkpoints under our lock alone.
    ///
    /// - Parameter lock: the store's writer lock.
    /// - Throws: `.unsupported`, `.readOnly`, `.corrupt`, `.busy`, `.fileRemoved`, `.fileReplaced`,
    ///   `.fileFailure`, `.engineFailure`.
    func writer(_ lock: WriterLock) throws(StoreError) -> SQLiteWriter {
        // SQLite would open a log by its name that is not the one from which this store's readers read.
        try session.requireFiles()
        let connection = try open(.readWrite)
        guard !connection.isReadOnly else { throw .readOnly(location) }
        try connection.usesWriteAheadLog()
        // SQLite opens the log with the first read after the switch.
        try connection.statement("SELECT 1 FROM sqlite_master LIMIT 1").run()
        try session.noteLog(lock)
        try session.requireFiles()
        connection.countsJournalPages()
        try connection.execute("PRAGMA synchronous = \(options.synchronous.rawValue)")
        try trustRTrees(on: connection)
        return SQLiteWriter(
            connection: connection, computedRows: try connection.registersTriggerFunctions())
    }

    /// SQLite counts R-trees among what a file's triggers must not touch unless its schema is
    /// trusted. Then they may call any function there is: none of SQLite's own or ours does harm.
    private func trustRTrees(on connection: SQLiteConnection) throws(StoreError) {
        let trees = try connection.statement(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_RT_*'")
        let hasTrees = try trees.step()
        trees.reset()
        if hasTrees { try connection.execute("PRAGMA trusted_schema = ON") }
    }

    private func open(_ mode: SQLiteConnection.Mode) throws(StoreError) -> SQLiteConnection {
        try session.connect { () throws(StoreError) in try openFile(mode) }
    }

    private func openFile(_ mode: SQLiteConnection.Mode) throws(StoreError) -> SQLiteConnection {
        let connection = try SQLiteConnection(
            path: files.path, mode: mode, location: location, busyTimeout: options.timeout)
        if mode == .unlocked { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
        // Bounds what one sort may take; the rest goes to a temporary file.
        try connection.execute("PRAGMA cache_size = -4000")
        // The first read finds out whether it is a database at all.
        try connection.statement("SELECT 1 FROM sqlite_master LIMIT 1").run()
        return connection
    }
}
