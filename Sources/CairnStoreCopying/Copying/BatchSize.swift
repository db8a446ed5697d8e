import CairnStore

/// How many rows a copy reads at a time: so many that they come to a few megabytes.
struct BatchSize {
    /// What the rows of one save come to, unless one alone is larger.
    static let byteCount = 4 << 20
    /// Owners whose members are read at a time.
    static let ownerCount = 256
    /// The most pairs of one save.
    static let pairCount = 8192

    /// For the next read. Few at first: the rows may be large.
    private(set) var rowCount = 64

    private static let greatestRowCount = 4096

    /// Learns from what was read how many rows to read next.
    mutating func note(_ rows: RowBatch) {
        let read = rows.rows.reduce(0) { $0 + $1.byteCount }
        let fitting = Self.byteCount / max(1, read / max(1, rows.count))
        // Growing step by step, so that small rows before large ones do no harm.
        rowCount = max(1, min(fitting, rowCount * 4, Self.greatestRowCount))
    }
}
