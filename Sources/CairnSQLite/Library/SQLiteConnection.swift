import CairnCSQLite
import CairnModel
import CairnStore
import Foundation

/// A connection to a database: owns SQLite's handle and closes it.
///
/// Opened without SQLite's own mutex, so it belongs to one user at a time: a snapshot, a save, or
/// the store while it opens and closes. Whoever passes it on stops using it.
final class SQLiteConnection: @unchecked Sendable {
    // Unchecked: the one user at a time is whoever checked the connection out of the pool, or the
    // save that holds the writer lock; both hand over under a mutex.

    /// How the file is opened.
    enum Mode {
        case readOnly
        /// Read-only, and no other process writes: no lock is taken and no file is made beside
        /// it. What a read-only folder asks for.
        case immutable
        /// As `immutable`, for a file with a write-ahead log, which that mode passes over.
        case unlocked
        case readWrite
        case create
    }

    /// SQLite's handle, for what this class does not wrap.
    let handle: OpaquePointer
    let location: StoreLocation
    /// Whether others are kept out while it reads or writes, as far as the journal's mode asks for it.
    let takesLocks: Bool
    /// How long a statement waits for locks of others.
    let busyTimeout: Duration
    /// Pages in the write-ahead log after the last commit of this connection; 0 before it.
    private(set) var journalPageCount = 0
    private var cache: [String: SQLiteStatement] = [:]
    /// The statement that is being stepped, if it packs its rows within the step. It sets this before the
    /// step, and outlives the step. Exclusivity is unchecked: one user at a time has the connection.
    @exclusivity(unchecked) var steppedStatement: Uncounted<RowStatement>?
    /// What stops the statements of a fetch.
    let fetchWatch = FetchWatch()
    /// By root entity, of which there are few: looking through them is faster than hashing.
    /// Exclusivity is unchecked: one user at a time has the connection.
    @exclusivity(unchecked) private var rowReaders:
        [(root: EntityNumber, reader: SingleRowReader)] = []
    /// What earlier saves worked out.
    let savePlans = SavePlans()
    private var isClosed = false

    /// The most statements kept; predicates with many shapes would grow the cache for ever.
    private static let mostCached = 200

    /// - Parameter readsRows: whether the connection gets the functions and tables through which rows
    ///   are read and written. Registering them takes as long as opening a file.
    /// - Throws: `.corrupt`, `.busy`, `.readOnly`, `.engineFailure`.
    init(
        path: String, mode: Mode, location: StoreLocation, busyTimeout: Duration = .seconds(5),
        readsRows: Bool = true
    ) throws(StoreError) {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            Self.uri(path, mode), &handle, Self.flags(mode) | SQLITE_OPEN_URI, nil)
        guard code == SQLITE_OK, let handle else {
            let failure = SQLiteFailure(code: code, operation: "open", of: handle)
            sqlite3_close_v2(handle)
            throw failure.storeError(at: location, waited: .zero)
        }
        self.handle = handle
        self.location = location
        self.busyTimeout = busyTimeout
        takesLocks = mode != .immutable && mode != .unlocked
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Int32(clamping: busyTimeout.milliseconds))
        try check(cairn_sqlite_set_no_checkpoint_on_close(handle, 1), "configure")
        try check(cairn_sqlite_distrust_schema(handle), "configure")
        guard readsRows else { return }
        fetchWatch.attach(to: handle)
        try TextFunctions.register(on: self)
        try RowStatement.registerFunction(on: self)
        try KeysTable.register(on: self)
        try RowsTable.register(on: self)
    }

    deinit { close() }

    /// Closes the connection now, even if others still refer to it. Closing it twice has no effect.
    ///
    /// - Precondition: nobody uses the connection after this call.
    func close() {
        if isClosed { return }
        isClosed = true
        cache = [:]
        rowReaders = []
        savePlans.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Counts the pages of the write-ahead log from now on; ends SQLite's own checkpoints.
    func countsJournalPages() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, pageCount in
                guard let context else { return SQLITE_OK }
                // The hook is called by a commit of this connection only, which is then alive.
                Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
                    .journalPageCount = Int(pageCount)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Lets SQLite tidy up when this connection is closed: if no other connection of any
    /// process is left, the write-ahead log is brought over and removed.
    func tidiesOnClose() throws(StoreError) {
        try check(cairn_sqlite_set_no_checkpoint_on_close(handle, 0), "configure")
    }

    /// Runs statements that return no rows.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.readOnly`, `.engineFailure`.
    func execute(_ sql: String) throws(StoreError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), "run “\(sql.prefix(80))”")
    }

    /// Runs one statement that returns no rows and that will be run again: it is kept.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.readOnly`, `.engineFailure`.
    func run(_ sql: String) throws(StoreError) { try statement(sql).run() }

    /// Commits the transaction.
    ///
    /// - Throws: `.commitOutcomeUnknown` after a failed write or sync, because the log may hold the commit
    ///   all the same; `.spaceMissing`, `.busy`, `.engineFailure`.
    func commit() throws(StoreError) {
        guard let failure = try statement("COMMIT").runReturningFailure() else { return }
        if failure.primaryCode == SQLITE_IOERR {
            throw .commitOutcomeUnknown(failure.engineFailure(at: location))
        }
        throw failure.storeError(at: location, waited: busyTimeout)
    }

    /// Returns a statement ready to be bound, from the cache if it is there and not running.
    ///
    /// Keep SQL text free of values, so that it is found again.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    func statement(_ sql: String) throws(StoreError) -> SQLiteStatement {
        if let cached = cache[sql] {
            if !cached.isRunning {
                cached.reset()
                return cached
            }
            return try SQLiteStatement(sql, on: self)
        }
        let statement = try SQLiteStatement(sql, on: self)
        if cache.count >= Self.mostCached { cache = cache.filter { $0.value.isRunning } }
        cache[sql] = statement
        return statement
    }

    /// Returns the reader of single rows of a root entity. It is made when it is first asked for.
    ///
    /// - Throws: what `make` throws.
    func rowReader(
        ofRoot root: EntityNumber,
        orMake make: (SQLiteConnection) throws(StoreError) -> SingleRowReader?
    ) throws(StoreError) -> SingleRowReader? {
        for known in rowReaders where known.root == root { return known.reader }
        guard let reader = try make(self) else { return nil }
        rowReaders.append((root, reader))
        return reader
    }

    /// How many rows the last statement changed, without those that triggers changed.
    var changedRowCount: Int { Int(sqlite3_changes64(handle)) }

    /// Whether the path with which the connection was opened leads to another file now, or to none.
    var fileHasMoved: Bool {
        var hasMoved: Int32 = 0
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code == SQLITE_OK && hasMoved != 0
    }

    /// Whether the file can only be read.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Switches the database to write-ahead mode if it is not in that mode yet.
    ///
    /// - Throws: `.unsupported` for a medium without shared memory; `.busy`, `.readOnly`, `.corrupt`,
    ///   `.engineFailure`.
    func usesWriteAheadLog() throws(StoreError) {
        let statement = try statement("PRAGMA journal_mode = WAL")
        defer { statement.reset() }
        guard try statement.step(), statement.text(at: 0) == "wal" else {
            throw .unsupported(
                location, feature: "a medium without shared memory",
                advice: "Open it read-only, or move it to a local file system.")
        }
    }

    /// Writes the number that SQLite keeps for applications again, as it is: a write that changes
    /// nothing.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    func rewriteUserVersion() throws(StoreError) {
        let select = try statement("PRAGMA user_version")
        let version = try select.step() ? select.int64(at: 0) : 0
        select.rest()
        try execute("PRAGMA user_version = \(version)")
    }

    /// Whether the database is in write-ahead mode.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    var hasWriteAheadLog: Bool {
        get throws(StoreError) {
            let statement = try statement("PRAGMA journal_mode")
            defer { statement.reset() }
            return try statement.step() && statement.text(at: 0) == "wal"
        }
    }

    /// Brings everything in the write-ahead log over into the file, and empties the log. Waits for
    /// nobody. Needs no schema, as the statement that does the same would.
    ///
    /// - Precondition: the connection has read something: before, it does not know of the log.
    /// - Throws: `.busy`, while another connection reads from the log; `.corrupt`, `.engineFailure`.
    func emptyLog() throws(StoreError) {
        sqlite3_busy_timeout(handle, 0)
        defer { sqlite3_busy_timeout(handle, Int32(clamping: busyTimeout.milliseconds)) }
        let code = sqlite3_wal_checkpoint_v2(
            handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        try check(code, "bring the write-ahead log over")
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Ends a read transaction, even if statements still run in it. Returns `false` if that
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

    /// Throws what SQLite says if the code is not OK.
    func check(_ code: Int32, _ operation: @autoclosure () -> String) throws(StoreError) {
        guard code != SQLITE_OK, code != SQLITE_ROW, code != SQLITE_DONE else { return }
        throw SQLiteFailure(code: code, operation: operation(), of: handle)
            .storeError(at: location, waited: busyTimeout)
    }

    private static func flags(_ mode: Mode) -> Int32 {
        switch mode {
        case .readOnly, .immutable, .unlocked: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
        case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        }
    }

    /// A URI in which no character of the path means anything: every byte but letters, digits
    /// and the slash is encoded.
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

    /// The digit of a number from 0 to 15.
    fileprivate var hexDigit: UInt8 {
        self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "A") + self - 10
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        return overflows
            ? .max : whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
    }
}
