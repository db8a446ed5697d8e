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
