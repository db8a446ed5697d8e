import CairnStore
import Foundation

/// Opens the engine's different kinds of connections to a store's file.
struct StoreConnections: Sendable {
    let session: FileSession
    let options: SQLiteOptions
    /// The time at which the connections stop waiting for other programs while they are opened. If
    /// `nil`, each wait lasts up to the store's `timeout`.
    var deadline: ContinuousClock.Instant?

    private var files: SQLiteFiles { session.files }

    private var location: StoreLocation { files.location }

    /// Opens a connection for reading.
    ///
    /// If no file can be created next to the store because the folder or medium is read-only, no
    /// other process can be writing either. The store is then read without locks.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.corrupt`, `.busy`, `.fileFailure` or
    ///   `.engineFailure`.
    func reader() throws(StoreError) -> SQLiteConnection { try open(readingMode) }

    private var readingMode: SQLiteConnection.Mode {
        if access(files.folder, W_OK) == 0 { return .readOnly }
        return files.journalByteCount > 0 ? .unlocked : .immutable
    }

    /// Opens the connection that observes commits.
    ///
    /// If the store can be saved to, this connection may write: it recovers the journal that a
    /// crash left, and copies the log into the file when the store is closed.
    ///
    /// - Throws: `.readOnly`, `.fileRemoved`, `.fileReplaced`, `.corrupt`, `.busy`, `.fileFailure`
    ///   or `.engineFailure`.
    func observer(mayWrite: Bool) throws(StoreError) -> StoreObserver {
        let mode = mayWrite ? .readWrite : readingMode
        let connection = try session.connect(mode) { () throws(StoreError) in
            let connection = try SQLiteConnection(
                path: files.path, mode: mode, location: location, busyTimeout: options.timeout,
                until: deadline, readsRows: false)
            if mode == .unlocked { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
            // The first read finds out whether the file is a database at all.
            try connection.run("PRAGMA data_version")
            return connection
        }
        if mayWrite, connection.isReadOnly { throw .readOnly(location) }
        return try StoreObserver(connection)
    }

    /// Opens the connection for saves. It uses write-ahead mode, and runs checkpoints only under
    /// Cairn's own lock.
    ///
    /// - Parameter lock: The store's writer lock.
    /// - Throws: `.unsupported`, `.readOnly`, `.corrupt`, `.busy`, `.fileRemoved`, `.fileReplaced`,
    ///   `.fileFailure` or `.engineFailure`.
    func writer(_ lock: WriterLock) throws(StoreError) -> SQLiteWriter {
        // SQLite opens the log by its name, and must not open another one than this store's readers
        // use.
        try session.requireFiles()
        let connection = try open(.readWrite)
        guard !connection.isReadOnly else { throw .readOnly(location) }
        try connection.enableWriteAheadLog()
        // SQLite opens the log with the first read after the switch of the mode.
        try connection.statement("SELECT 1 FROM sqlite_master LIMIT 1").run()
        try session.noteLog(lock)
        try session.requireFiles()
        connection.startCountingJournalPages()
        try connection.execute("PRAGMA synchronous = \(options.synchronous.rawValue)")
        // If others read from a long log when its content was copied, SQLite makes the file smaller
        // when it writes to the beginning of the log again.
        try connection.execute("PRAGMA journal_size_limit = \(Checkpoint.keptByteCount)")
        try trustRTrees(on: connection)
        return SQLiteWriter(
            connection: connection, computedRows: try connection.registerTriggerFunctions())
    }

    /// Trusts the schema if the store has R-trees, because otherwise SQLite does not let a file's
    /// triggers use them. A trusted schema may call any registered function, but none of SQLite's
    /// or Cairn's functions can do harm.
    private func trustRTrees(on connection: SQLiteConnection) throws(StoreError) {
        let trees = try connection.statement(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_RT_*'")
        let hasTrees = try trees.step()
        trees.reset()
        if hasTrees { try connection.execute("PRAGMA trusted_schema = ON") }
    }

    private func open(_ mode: SQLiteConnection.Mode) throws(StoreError) -> SQLiteConnection {
        try session.connect(mode) { () throws(StoreError) in try openFile(mode) }
    }

    private func openFile(_ mode: SQLiteConnection.Mode) throws(StoreError) -> SQLiteConnection {
        let connection = try SQLiteConnection(
            path: files.path, mode: mode, location: location, busyTimeout: options.timeout,
            until: deadline, log: options.statementLog)
        if mode == .unlocked { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
        // Limits the memory of a sort. Larger sorts use a temporary file.
        try connection.execute("PRAGMA cache_size = -4000")
        // The first read finds out whether the file is a database at all.
        try connection.statement("SELECT 1 FROM sqlite_master LIMIT 1").run()
        return connection
    }
}

/// A connection that observes commits to the store, and reads nothing else.
///
/// Its number changes with every commit by another connection, including those of other programs.
/// Reading the number does not parse the schema, so this connection opens in a fraction of the time
/// that a connection for reading needs.
struct StoreObserver: @unchecked Sendable {
    // Unchecked: the code that opens the store owns it first, and hands it over to the pool, which
    // uses
    // it under a mutex.
    let connection: SQLiteConnection
    private let statement: SQLiteStatement

    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        statement = try connection.statement("PRAGMA data_version")
    }

    /// The number of the newest state. It can only be compared with other numbers from this
    /// observer.
    var dataVersion: Int64 {
        get throws(StoreError) {
            // The statement has no bindings, so it does not need a full reset.
            defer { statement.rest() }
            return try statement.step() ? statement.int64(at: 0) : 0
        }
    }
}
