/// An answer of a contender that can be compared with those of other contenders.
package protocol Digestible {
    /// A digest of all values.
    var digest: UInt64 { get }
}

extension Item: Digestible {}
extension PlainItem: Digestible {}

extension Sample {
    /// Creates a sample of work that produced rows. Each row counts as one operation, and the checksum covers
    /// their values.
    package init<Rows: Collection>(_ watch: Stopwatch, rows: Rows) where Rows.Element: Digestible {
        self.init(
            watch, operations: rows.count, checksum: RowChecksum(rows.lazy.map(\.digest)).value)
    }
}
