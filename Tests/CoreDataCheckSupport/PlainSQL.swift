import CairnCSQLite
import Foundation

/// Reads and changes a database with plain SQL, independently of Cairn.
package final class PlainSQL {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    package enum Cell: Equatable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob(Data)

        package var integer: Int64? {
            if case .integer(let value) = self { value } else { nil }
        }
        package var text: String? {
            if case .text(let value) = self { value } else { nil }
        }
        package var blob: Data? {
            if case .blob(let value) = self { value } else { nil }
        }
    }

    private let database: OpaquePointer

    /// Opens a database. Nothing else may have it open for writing at the same time.
    package init(_ file: URL, creates: Bool = false) throws {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0)
        let code = sqlite3_open_v2(file.path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            throw Failure(description: "\(file.path) does not open: \(code)")
        }
        database = handle
    }

    deinit { sqlite3_close(database) }

    /// Returns all rows of a query.
    package func rows(_ sql: String) throws -> [[Cell]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
            throw Failure(description: "\(sql): \(String(cString: sqlite3_errmsg(database)))")
        }
        defer { sqlite3_finalize(statement) }
        var rows: [[Cell]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                rows.append((0..<sqlite3_column_count(statement)).map { cell(statement, $0) })
            case SQLITE_DONE: return rows
            default:
                throw Failure(description: "\(sql): \(String(cString: sqlite3_errmsg(database)))")
            }
        }
    }

    /// Returns the single integer that a query yields.
    package func integer(_ sql: String) throws -> Int64 {
        guard let value = try rows(sql).first?.first?.integer else {
            throw Failure(description: "\(sql) answers no integer")
        }
        return value
    }

    private func cell(_ statement: OpaquePointer?, _ index: Int32) -> Cell {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, index))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement, index))
        case SQLITE_TEXT: .text(String(cString: sqlite3_column_text(statement, index)))
        case SQLITE_BLOB:
            .blob(
                Data(
                    bytes: sqlite3_column_blob(statement, index),
                    count: Int(sqlite3_column_bytes(statement, index))))
        default: .null
        }
    }
}
