import CairnCSQLite
import CairnStore
import Foundation

/// A failed call of SQLite, and what SQLite reported about it.
///
/// This is the only type that turns result codes into ``StoreError``s.
struct SQLiteFailure {
    /// The extended result code.
    var code: Int32
    /// The library's own message.
    var message: String
    /// The operation that failed, such as `open`, `prepare` or `step`.
    var operation: String
    /// The operating system's `errno`, if the system rejected a call. Otherwise the value has no
    /// meaning.
    private var systemError: Int32

    /// Reads the failure of the last call on a connection.
    init(code: Int32, operation: String, of handle: OpaquePointer?) {
        let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
        self.code = extended & 0xff == code & 0xff ? extended : code
        message =
            handle.map { String(cString: sqlite3_errmsg($0)) }
            ?? String(cString: sqlite3_errstr(code))
        self.operation = operation
        systemError = handle.map { sqlite3_system_errno($0) } ?? 0
    }

    /// The code without its extension.
    var primaryCode: Int32 { code & 0xff }

    /// Returns the error that the store throws.
    ///
    /// - Parameter wait: How the connection waited for other connections. `nil` if it did not wait.
    func storeError(at location: StoreLocation, after wait: LockWait? = nil) -> StoreError {
        switch primaryCode {
        case SQLITE_BUSY, SQLITE_LOCKED:
            wait?.error(at: location) ?? .busy(location, waited: .zero)
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            .corrupt(location, location: "the database file", detail: message)
        case SQLITE_READONLY: .readOnly(location)
        case SQLITE_FULL: .diskFull(at: location)
        case SQLITE_IOERR where isDiskFull, SQLITE_CANTOPEN where isDiskFull:
            .diskFull(at: location)
        default: .engineFailure(engineFailure(at: location))
        }
    }

    /// Whether a call failed because the disk is full. SQLite's own code says so only for writes to
    /// the database or its log, but not if SQLite could not enlarge one of its other files.
    private var isDiskFull: Bool { systemError == ENOSPC || systemError == EDQUOT }

    /// Returns the failure in the form of the store contract.
    func engineFailure(at location: StoreLocation) -> EngineFailure {
        // A full or failed disk is not transient. After a failed write, a later one proves nothing.
        let transient = [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM]
        return EngineFailure(
            type: SQLiteStore.type, location: location, operation: operation, code: Int(code),
            message: message, isTransient: transient.contains(primaryCode))
    }
}

extension SQLiteFailure {
    /// Whether a unique index, or a `UNIQUE` constraint of the table, rejected the row.
    var isUniqueClash: Bool { code == SQLITE_CONSTRAINT | (8 << 8) }

    /// Whether another row has the key.
    var isKeyClash: Bool {
        code == SQLITE_CONSTRAINT | (6 << 8) || code == SQLITE_CONSTRAINT | (10 << 8)
    }
}
