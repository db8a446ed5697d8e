import CairnCSQLite

/// The source of a stored row's values.
protocol StoredColumns {
    /// `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB` or `SQLITE_NULL`.
    func type(_ column: Int32) -> Int32
    func int64(_ column: Int32) -> Int64
    func double(_ column: Int32) -> Double
    /// Returns the bytes of a text or blob as they are stored. They are valid while the row is
    /// current.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer
}
