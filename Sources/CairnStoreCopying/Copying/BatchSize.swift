import CairnRows

/// The number of rows that a copy reads at a time, chosen so that a batch takes a few megabytes.
struct BatchSize {
    /// The size of one save's rows in bytes. A save exceeds it by at most one row.
    static let byteCount = 4 << 20
    /// The number of owners whose members are read at a time.
    static let ownerCount = 256
    /// The maximum number of pairs of one save.
    static let pairCount = 8192

    /// The number of rows to read next. It is small at first, because the rows may be large.
    private(set) var rowCount = 64

    private static let greatestRowCount = 4096

    /// Updates the number of rows for the next read, based on the size of the rows that were read.
    mutating func note(_ rows: RowBatch) {
        let read = rows.rows.reduce(0) { $0 + $1.byteCount }
        let fitting = Self.byteCount / max(1, read / max(1, rows.count))
        // The number increases step by step, so that small rows before large ones do no harm.
        rowCount = max(1, min(fitting, rowCount * 4, Self.greatestRowCount))
    }
}
