import CairnCSQLite
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// A connection to a database. It owns SQLite's handle and closes it.
///
/// The handle is opened without SQLite's own mutex. Therefore a connection has only one user at a
/// time: a snapshot, a save, or the store while it opens and closes. A user that passes the
/// connection on must stop using it.
final class SQLiteConnection: @unchecked Sendable {
    // Unchecked: the only user is the one that took the connection from the pool, or the save that
    // holds the writer lock. Both hand the connection over under a mutex.

    /// How a connection opens the file.
    enum Mode {
        case readOnly
        /// Read-only, while no other process writes. Takes no locks and creates no files next to
        /// the database, as a read-only folder requires.
        case immutable
        /// Like `immutable`, but also reads the write-ahead log, which `immutable` ignores.
        case unlocked
        case readWrite
        case create
    }

    /// SQLite's handle, for functions that this class does not wrap.
    let handle: OpaquePointer
    let location: StoreLocation
    /// Whether reads and writes exclude other connections, as far as the journal mode requires it.
    let takesLocks: Bool
    /// How statements wait for locks of other connections.
    let lockWait: LockWait
    /// The number of pages in the write-ahead log after this connection's last commit, or 0 before
    /// its first commit.
    private(set) var journalPageCount = 0
    private var cache: [String: SQLiteStatement] = [:]
    /// The statement that is being stepped, if it packs its rows within the step. The statement
    /// sets this property before each step and outlives the step. Exclusivity is unchecked, because
    /// the connection has only one user at a time.
    @exclusivity(unchecked) var steppedStatement: Uncounted<RowStatement>?
    /// Interrupts the statements of a fetch.
    let fetchWatch = FetchWatch()
    /// The row readers by root entity. There are only a few, so a linear search is faster than
    /// hashing. Exclusivity is unchecked, because the connection has only one user at a time.
    @exclusivity(unchecked) private var rowReaders:
        [(root: EntityNumber, reader: SingleRowReader)] = []
    /// Plans and statements that later saves reuse.
    let savePlans = SavePlans()
    /// Reports the statements. `nil` if nobody asked for that.
    private let log: StatementLog?
    private var isClosed = false

    /// The maximum number of cached statements. Without a limit, predicates of many shapes would
    /// let the cache grow forever.
    private static let mostCached = 200

    /// Opens a connection.
    ///
    /// - Parameters:
    ///   - busyTimeout: How long a statement waits for locks of other connections.
    ///   - deadline: The time at which statements stop waiting for locks, until
    ///     ``LockWait/deadline`` is set to another value.
    ///   - log: Reports the statements. `nil` for no reports.
    ///   - readsRows: Whether to register the functions and tables that reading and writing rows
    ///     needs. Registering them takes as long as opening a file.
    /// - Throws: `.corrupt`, `.busy`, `.cancelled`, `.readOnly` or `.engineFailure`.
    init(
        path: String, mode: Mode, location: StoreLocation, busyTimeout: Duration = .seconds(5),
        until deadline: ContinuousClock.Instant? = nil, log: StatementLog? = nil,
        readsRows: Bool = true
    ) throws(StoreError) {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            Self.uri(path, mode), &handle, Self.flags(mode) | SQLITE_OPEN_URI, nil)
        guard code == SQLITE_OK, let handle else {
            let failure = SQLiteFailure(code: code, operation: "open", of: handle)
            sqlite3_close_v2(handle)
            throw failure.storeError(at: location)
        }
        self.handle = handle
        self.location = location
        self.log = log
        lockWait = LockWait(timeout: busyTimeout)
        lockWait.deadline = deadline
        takesLocks = mode != .immutable && mode != .unlocked
        sqlite3_extended_result_codes(handle, 1)
        lockWait.attach(to: handle)
        log?.attach(to: handle)
        try check(cairn_sqlite_set_no_checkpoint_on_close(handle, 1), "configure")
        try check(cairn_sqlite_distrust_schema(handle), "configure")
        guard readsRows else { return }
        fetchWatch.attach(to: handle)
        try TextFunctions.register(on: self)
        try RowStatement.registerFunction(on: self)
        try FetchWatch.registerFunction(on: self)
        try KeysTable.register(on: self)
    }

    deinit { close() }

    /// Closes the connection immediately, even if it is still referenced. Closing a connection
    /// twice has no effect.
    ///
    /// - Precondition: The connection is not used after this call.
    func close() {
        if isClosed { return }
        isClosed = true
        cache = [:]
        rowReaders = []
        savePlans.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Starts counting the pages of the write-ahead log, and turns off SQLite's automatic
    /// checkpoints.
    func startCountingJournalPages() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, pageCount in
                guard let context else { return SQLITE_OK }
                // Only a commit of this connection calls the hook, so the connection still exists.
                Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
                    .journalPageCount = Int(pageCount)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Lets SQLite clean up when this connection is closed: if it is the last connection of any
    /// process, SQLite copies the write-ahead log into the database and removes the log.
    func enableCleanupOnClose() throws(StoreError) {
        try check(cairn_sqlite_set_no_checkpoint_on_close(handle, 0), "configure")
    }

    /// Runs statements that return no rows.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.readOnly` or `.engineFailure`.
    func execute(_ sql: String) throws(StoreError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), "run “\(sql.prefix(80))”")
    }

    /// Runs one statement that returns no rows. The prepared statement is cached for later runs.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.readOnly` or `.engineFailure`.
    func run(_ sql: String) throws(StoreError) { try statement(sql).run() }

    /// Commits the transaction.
    ///
    /// - Throws: `.commitOutcomeUnknown` after a failed write or sync, because the log may contain
    ///   the commit nevertheless; `.spaceMissing`, `.busy` or `.engineFailure`.
    func commit() throws(StoreError) {
        guard let failure = try statement("COMMIT").runReturningFailure() else { return }
        if failure.primaryCode == SQLITE_IOERR {
            throw .commitOutcomeUnknown(failure.engineFailure(at: location))
        }
        throw failure.storeError(at: location, after: lockWait)
    }

    /// Returns a statement that is ready to be bound. It comes from the cache if it is cached and
    /// not running.
    ///
    /// Bind values instead of writing them into `sql`, so that the cached statement is found again.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func statement(_ sql: String) throws(StoreError) -> SQLiteStatement {
        if let cached = cache[sql] {
            if !cached.isRunning {
                cached.reset()
                return cached
            }
            return try SQLiteStatement(sql, on: self)
        }
        let statement = try SQLiteStatement(sql, on: self)
        try log?.reportPlan(of: statement, on: self)
        if cache.count >= Self.mostCached { cache = cache.filter { $0.value.isRunning } }
        cache[sql] = statement
        return statement
    }

    /// Returns the reader of single rows of a root entity. It is created on first use.
    ///
    /// - Throws: The errors of `make`.
    func rowReader(
        ofRoot root: EntityNumber,
        orMake make: (SQLiteConnection) throws(StoreError) -> SingleRowReader?
    ) throws(StoreError) -> SingleRowReader? {
        for known in rowReaders where known.root == root { return known.reader }
        guard let reader = try make(self) else { return nil }
        rowReaders.append((root, reader))
        return reader
    }

    /// The number of rows that the last statement changed, without those changed by triggers.
    var changedRowCount: Int { Int(sqlite3_changes64(handle)) }

    /// Whether the path that the connection was opened with now leads to another file, or to no
    /// file.
    var fileHasMoved: Bool {
        var hasMoved: Int32 = 0
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code == SQLITE_OK && hasMoved != 0
    }

    /// Whether the database can only be read.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Switches the database to write-ahead mode if necessary.
    ///
    /// - Throws: `.unsupported` if the medium has no shared memory; `.busy`, `.readOnly`,
    ///   `.corrupt` or `.engineFailure`.
    func enableWriteAheadLog() throws(StoreError) {
        let statement = try statement("PRAGMA journal_mode = WAL")
        defer { statement.reset() }
        guard try statement.step(), statement.text(at: 0) == "wal" else {
            throw .unsupported(
                location, feature: "a file system without shared memory",
                advice: "Open the store as read-only, or move it to a local file system.")
        }
    }

    /// Writes `user_version`, the number that SQLite keeps for applications, with its present
    /// value. This is a write that changes nothing.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func rewriteUserVersion() throws(StoreError) {
        let select = try statement("PRAGMA user_version")
        let version = try select.step() ? select.int64(at: 0) : 0
        select.rest()
        try execute("PRAGMA user_version = \(version)")
    }

    /// The number of times that the tables and indexes of the database were changed.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    var schemaVersion: Int64 {
        get throws(StoreError) {
            let statement = try statement("PRAGMA schema_version")
            defer { statement.reset() }
            return try statement.step() ? statement.int64(at: 0) : 0
        }
    }

    /// Whether the database is in write-ahead mode.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    var hasWriteAheadLog: Bool {
        get throws(StoreError) {
            let statement = try statement("PRAGMA journal_mode")
            defer { statement.reset() }
            return try statement.step() && statement.text(at: 0) == "wal"
        }
    }

    /// Copies the pages of the write-ahead log that no reader still needs into the database file.
    /// Does not wait for other connections. Unlike `PRAGMA wal_checkpoint`, needs no schema.
    ///
    /// - Parameter emptyingLog: Whether to empty the log, unless another connection reads from it.
    /// - Precondition: The connection has read something. Before its first read, it does not know
    ///   of the log.
    /// - Returns: Whether the whole log is in the database. Then no connection of any process reads
    ///   an older state than the newest, because a checkpoint stops at the oldest such state.
    /// - Throws: `.corrupt` or `.engineFailure`.
    func checkpoint(emptyingLog: Bool) throws(StoreError) -> Bool {
        LockWait.detach(from: handle)
        defer { lockWait.attach(to: handle) }
        var (pageCount, copiedCount): (Int32, Int32) = (-1, -1)
        let code = sqlite3_wal_checkpoint_v2(
            handle, "main",
            emptyingLog ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, &pageCount,
            &copiedCount)
        if code & 0xff != SQLITE_BUSY {
            try check(code, "move the write-ahead log into the database")
            if emptyingLog { journalPageCount = 0 }
        }
        return pageCount >= 0 && pageCount == copiedCount
    }

    /// Copies all pages of the state that this connection reads to an empty database, a few megabytes at a
    /// time.
    ///
    /// - Parameter report: called after each part with the number of pages that were copied.
    /// - Precondition: A read transaction is open. Without one, every save would begin the copy again.
    /// - Throws: `.corrupt`, `.spaceMissing`, `.engineFailure`; the error of `report`.
    func copyPages(
        to other: SQLiteConnection, reporting report: (Int64) throws(StoreError) -> Void
    ) throws(StoreError) {
        guard let copy = sqlite3_backup_init(other.handle, "main", handle, "main") else {
            return try other.check(sqlite3_errcode(other.handle), "copy the database")
        }
        var code = SQLITE_OK
        do {
            while code == SQLITE_OK {
                code = sqlite3_backup_step(copy, 1024)
                let rest = sqlite3_backup_remaining(copy)
                if code == SQLITE_OK || code == SQLITE_DONE {
                    try report(Int64(sqlite3_backup_pagecount(copy) - rest))
                }
            }
        } catch {
            sqlite3_backup_finish(copy)
            throw error
        }
        sqlite3_backup_finish(copy)
        try other.check(code, "copy the database")
    }

    func pageByteCount() throws(StoreError) -> Int64 { try number("PRAGMA page_size") }

    func pageCount() throws(StoreError) -> Int64 { try number("PRAGMA page_count") }

    private func number(_ pragma: String) throws(StoreError) -> Int64 {
        let select = try statement(pragma)
        defer { select.reset() }
        return try select.step() ? select.int64(at: 0) : 0
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Ends a read transaction, even if statements are still running in it. Returns `false` if that
    /// failed.
    func endRead() -> Bool {
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 { sqlite3_reset(current) }
            statement = sqlite3_next_stmt(handle, current)
        }
        guard isInTransaction else { return true }
        return sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) == SQLITE_OK
    }

    /// Throws SQLite's error if the code means failure.
    func check(_ code: Int32, _ operation: @autoclosure () -> String) throws(StoreError) {
        guard code != SQLITE_OK, code != SQLITE_ROW, code != SQLITE_DONE else { return }
        throw SQLiteFailure(code: code, operation: operation(), of: handle)
            .storeError(at: location, after: lockWait)
    }

    private static func flags(_ mode: Mode) -> Int32 {
        switch mode {
        case .readOnly, .immutable, .unlocked: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
        case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        }
    }

    /// Returns a URI in which no character of the path has a special meaning. Every byte except
    /// ASCII letters, digits and `/._` is percent-encoded.
    private static func uri(_ path: String, _ mode: Mode) -> String {
        var bytes = Array("file://".utf8)
        for byte in path.utf8 {
            if byte.isPlain {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), (byte >> 4).hexDigit, (byte & 15).hexDigit]
            }
        }
        let result = String(decoding: bytes, as: UTF8.self)
        switch mode {
        case .immutable: return result + "?immutable=1"
        case .unlocked: return result + "?vfs=unix-none"
        default: return result
        }
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII letter or digit, or one of `/`, `.` and `_`.
    fileprivate var isPlain: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The hexadecimal digit of a number from 0 to 15.
    fileprivate var hexDigit: UInt8 {
        self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "A") + self - 10
    }
}
