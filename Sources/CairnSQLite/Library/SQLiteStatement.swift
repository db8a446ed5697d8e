import CairnCSQLite
import CairnStore
import Foundation

/// A prepared statement of one connection. Only the connection's user may use it.
///
/// As in SQLite, parameters are numbered from 1 and columns from 0.
final class SQLiteStatement {
    /// SQLite's handle, for functions that this class does not wrap.
    let handle: OpaquePointer
    private let location: StoreLocation
    private let lockWait: LockWait

    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    init(_ sql: String, on connection: SQLiteConnection) throws(StoreError) {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        try connection.check(code, "prepare “\(sql.prefix(200))”")
        guard let statement else {
            throw .engineFailure(
                EngineFailure(
                    type: SQLiteStore.type, location: connection.location, operation: "prepare",
                    code: Int(SQLITE_MISUSE), message: "the statement is empty"))
        }
        handle = statement
        location = connection.location
        lockWait = connection.lockWait
    }

    deinit { sqlite3_finalize(handle) }

    /// Whether the statement has been stepped, and has neither finished nor been reset since.
    var isRunning: Bool { sqlite3_stmt_busy(handle) != 0 }

    /// Whether SQLite sorted rows during a run of this statement. It then computed the selected
    /// values before sorting.
    var hasSorted: Bool { sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_SORT, 0) > 0 }

    /// Returns how SQLite finds the rows of each table that the statement reads through an index or by key, in
    /// SQLite's words (sqlite.org/eqp.html).
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func access(on connection: SQLiteConnection) throws(StoreError) -> [String] {
        try plan(on: connection).filter { $0.contains(" USING ") }
    }

    /// Returns the steps of the statement, in SQLite's words (sqlite.org/eqp.html).
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func plan(on connection: SQLiteConnection) throws(StoreError) -> [String] {
        guard let sql = sqlite3_sql(handle) else { return [] }
        let explanation = try SQLiteStatement(
            "EXPLAIN QUERY PLAN \(String(cString: sql))", on: connection)
        var steps: [String] = []
        while try explanation.step() { steps.append(explanation.text(at: 3) ?? "") }
        return steps
    }

    /// Returns how often the statement has moved to the next row of a table or index that it reads as a whole,
    /// since the last call.
    func takeScanStepCount() -> Int {
        Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1))
    }

    /// Ends the current run and clears the bindings, so that the statement can run again.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// Ends the current run but keeps the bindings, so that the statement can run again with them.
    func rest() { sqlite3_reset(handle) }

    /// Advances to the next row. Returns `false` at the end; the statement can then run again.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.readOnly` or `.engineFailure`.
    func step() throws(StoreError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        // Reset immediately: an unfinished statement would keep its read transaction open.
        let failure = code == SQLITE_DONE ? nil : failure(code, "step")
        sqlite3_reset(handle)
        if let failure { throw failure.storeError(at: location, after: lockWait) }
        return false
    }

    /// Runs the statement to its end and ignores the rows that it returns.
    ///
    /// - Throws: The errors of ``step()``.
    func run() throws(StoreError) {
        while try step() {}
    }

    /// Runs the statement to its end. Returns a failure with SQLite's code instead of throwing a
    /// `StoreError`.
    func runReturningFailure() -> SQLiteFailure? {
        var code = SQLITE_ROW
        while code == SQLITE_ROW { code = sqlite3_step(handle) }
        let failure = code == SQLITE_DONE ? nil : failure(code, "step")
        sqlite3_reset(handle)
        return failure
    }

    private func failure(_ code: Int32, _ operation: String) -> SQLiteFailure {
        SQLiteFailure(code: code, operation: operation, of: sqlite3_db_handle(handle))
    }

    private func check(_ code: Int32) throws(StoreError) {
        guard code != SQLITE_OK else { return }
        throw failure(code, "bind").storeError(at: location, after: lockWait)
    }
}

// MARK: Binding

extension SQLiteStatement {
    func bindNull(at index: Int) throws(StoreError) {
        try check(sqlite3_bind_null(handle, Int32(index)))
    }

    func bind(_ value: Int64, at index: Int) throws(StoreError) {
        try check(sqlite3_bind_int64(handle, Int32(index), value))
    }

    /// Binds an integer. `nil` binds NULL.
    func bind(_ value: Int64?, at index: Int) throws(StoreError) {
        if let value { try bind(value, at: index) } else { try bindNull(at: index) }
    }

    /// Binds a number. SQLite stores NaN as NULL.
    func bind(_ value: Double, at index: Int) throws(StoreError) {
        try check(sqlite3_bind_double(handle, Int32(index), value))
    }

    /// Binds text. `nil` binds NULL.
    func bind(_ value: String?, at index: Int) throws(StoreError) {
        guard var value else { return try bindNull(at: index) }
        let code = value.withUTF8 { utf8 in
            bind(text: UnsafeRawBufferPointer(utf8), Int32(index), cairn_sqlite_transient())
        }
        try check(code)
    }

    /// Binds bytes. `nil` binds NULL.
    func bind(_ value: Data?, at index: Int) throws(StoreError) {
        guard let value else { return try bindNull(at: index) }
        let code = value.withUnsafeBytes { bytes in
            bind(bytes, Int32(index), cairn_sqlite_transient())
        }
        try check(code)
    }

    /// Binds bytes without copying them.
    ///
    /// - Precondition: The bytes do not change until the statement is reset or bound again.
    func bindUncopied(
        blob bytes: UnsafeRawBufferPointer, at index: Int
    ) throws(StoreError) {
        try check(bind(bytes, Int32(index), nil))
    }

    /// Binds UTF-8 text without copying it.
    ///
    /// - Precondition: The bytes do not change until the statement is reset or bound again.
    func bindUncopied(
        text bytes: UnsafeRawBufferPointer, at index: Int
    ) throws(StoreError) {
        try check(bind(text: bytes, Int32(index), nil))
    }

    private func bind(
        text bytes: UnsafeRawBufferPointer, _ index: Int32, _ destructor: sqlite3_destructor_type?
    ) -> Int32 {
        // A null pointer would bind NULL, but an empty string is not NULL.
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            return sqlite3_bind_text64(
                handle, index, "", 0, cairn_sqlite_transient(), UInt8(SQLITE_UTF8))
        }
        return sqlite3_bind_text64(
            handle, index, base.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
            destructor, UInt8(SQLITE_UTF8))
    }

    private func bind(
        _ bytes: UnsafeRawBufferPointer, _ index: Int32, _ destructor: sqlite3_destructor_type?
    ) -> Int32 {
        // A null pointer would bind NULL, but an empty blob is not NULL.
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            return sqlite3_bind_zeroblob(handle, index, 0)
        }
        return sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), destructor)
    }
}

// MARK: Columns

extension SQLiteStatement {
    /// The storage class of a value.
    enum ValueType { case integer, real, text, blob, null }

    var columnCount: Int { Int(sqlite3_column_count(handle)) }

    func type(at column: Int) -> ValueType {
        switch sqlite3_column_type(handle, Int32(column)) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    func isNull(at column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
    }

    /// Returns the value as an integer, or `nil` for NULL.
    ///
    /// Use this method for every integer that decides what is read or written next, because SQLite
    /// would read text that is not a number as 0.
    ///
    /// - Parameter columnName: The table and the column, for the error.
    /// - Throws: `.corrupt` for text, blobs and numbers with a fraction.
    func integer(
        at column: Int, _ columnName: @autoclosure () -> String
    ) throws(StoreError) -> Int64? {
        switch type(at: column) {
        case .integer: return int64(at: column)
        case .null: return nil
        default:
            throw .corrupt(location, location: columnName(), detail: "the value is not an integer")
        }
    }

    /// Returns the value as a primary key, which is at least 1.
    ///
    /// - Parameter columnName: The table and the column, for the error.
    /// - Throws: `.corrupt` for any other value.
    func key(at column: Int, _ columnName: @autoclosure () -> String) throws(StoreError) -> Int64 {
        guard let key = try integer(at: column, columnName()), key > 0 else {
            throw .corrupt(
                location, location: columnName(),
                detail: "the value is not a key, because it is less than 1")
        }
        return key
    }

    /// Returns the value as an integer, or 0 for NULL. SQLite converts values of other types, so
    /// use this method only for values that the statement itself computes.
    func int64(at column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

    /// Returns the value as a number, or 0 for NULL.
    func double(at column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

    /// Returns the value as text with invalid UTF-8 repaired, or `nil` for NULL.
    func text(at column: Int) -> String? {
        guard let text = sqlite3_column_text(handle, Int32(column)) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    /// Returns the bytes of a blob or text. They are valid until the next step. Empty for NULL.
    func bytes(at column: Int) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, Int32(column))
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }

    /// Returns a copy of the bytes of a blob or text, or `nil` for NULL.
    func data(at column: Int) -> Data? {
        isNull(at: column) ? nil : Data(bytes(at: column))
    }
}
