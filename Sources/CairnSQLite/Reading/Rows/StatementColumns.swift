import CairnCSQLite

/// The columns of a statement's current row.
struct StatementColumns: StoredColumns {
    private let handle: OpaquePointer

    @inline(__always) init(_ statement: SQLiteStatement) { handle = statement.handle }

    @inline(__always) func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }
    @inline(__always) func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    @inline(__always) func double(_ column: Int32) -> Double {
        sqlite3_column_double(handle, column)
    }
    @inline(__always) func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        // In a UTF-8 database this also returns the bytes of a text, without adding a terminator.
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }
}
