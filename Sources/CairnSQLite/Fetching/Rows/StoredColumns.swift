import CairnCSQLite

/// Where the values of a stored row are taken from.
protocol StoredColumns {
    /// `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB` or `SQLITE_NULL`.
    func type(_ column: Int32) -> Int32
    func int64(_ column: Int32) -> Int64
    func double(_ column: Int32) -> Double
    /// The bytes of a text or blob, as they are stored; valid while the row is held out.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer
}

/// The columns of the row at which a statement stands.
struct StatementColumns: StoredColumns {
    private let handle: OpaquePointer

    @inline(__always) init(_ statement: SQLiteStatement) { handle = statement.handle }

    @inline(__always) func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }
    @inline(__always) func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    @inline(__always) func double(_ column: Int32) -> Double {
        sqlite3_column_double(handle, column)
    }
    @inline(__always) func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        // Of a text, too, in an UTF-8 database: its bytes, without a terminator to be made.
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }
}

/// The arguments of an SQL function.
struct ArgumentColumns: StoredColumns {
    private let values: UnsafeMutablePointer<OpaquePointer?>

    @inline(__always) init(_ values: UnsafeMutablePointer<OpaquePointer?>) { self.values = values }

    @inline(__always) func type(_ column: Int32) -> Int32 {
        sqlite3_value_type(values[Int(column)])
    }
    @inline(__always) func int64(_ column: Int32) -> Int64 {
        sqlite3_value_int64(values[Int(column)])
    }
    @inline(__always) func double(_ column: Int32) -> Double {
        sqlite3_value_double(values[Int(column)])
    }
    @inline(__always) func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_value_blob(values[Int(column)])
        let count = Int(sqlite3_value_bytes(values[Int(column)]))
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }
}
