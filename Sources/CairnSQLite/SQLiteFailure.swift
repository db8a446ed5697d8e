import CairnCSQLite
import CairnStore
import Foundation

/// What SQLite said when a call failed.
///
/// Only this type turns result codes into ``StoreError``s.
struct SQLiteFailure {
    /// The extended result code.
    var code: Int32
    /// The library's own message.
    var message: String
    /// What was tried: `open`, `prepare`, `step`, ….
    var operation: String
    /// The operating system's `errno`, if it refused a call. Otherwise any number.
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

    /// The error that a caller of the store sees.
    ///
    /// - Parameter waited: how long a busy connection was waited for.
    func storeError(at location: StoreLocation, waited: Duration) -> StoreError {
        switch primaryCode {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy(location, waited: waited)
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            .corrupt(location, location: "the database file", detail: message)
        case SQLITE_READONLY: .readOnly(location)
        case SQLITE_FULL: .diskFull(at: location)
        case SQLITE_IOERR where isDiskFull, SQLITE_CANTOPEN where isDiskFull:
            .diskFull(at: location)
        default: .engineFailure(engineFailure(at: location))
        }
    }

    /// Whether a call was refused for want of room. SQLite itself says so only if it wrote to the database
    /// or its log, and not if it made one of its other files longer.
    private var isDiskFull: Bool { systemError == ENOSPC || systemError == EDQUOT }

    /// The failure in the contract's form.
    func engineFailure(at location: StoreLocation) -> EngineFailure {
        // A disk that is full or failed stays so, and after a failed write another one proves nothing.
        let transient = [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM]
        return EngineFailure(
            type: SQLiteStore.type, location: location, operation: operation, code: Int(code),
            message: message, isTransient: transient.contains(primaryCode))
    }
}

extension SQLiteFailure {
    /// Whether a unique index, or a table's own uniqueness, refused the row.
    var isUniqueClash: Bool { code == SQLITE_CONSTRAINT | (8 << 8) }

    /// Whether another row has the key.
    var isKeyClash: Bool {
        code == SQLITE_CONSTRAINT | (6 << 8) || code == SQLITE_CONSTRAINT | (10 << 8)
    }
}
