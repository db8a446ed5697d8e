import CairnCSQLite

/// The arguments of an SQL function, as the columns of a row.
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
