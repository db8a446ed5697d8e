import CairnModel
import CairnRows
import CairnStore

/// A plan's order, compiled for the rows of one store.
///
/// It is used by one thread at a time.
package final class RowOrder {
    private let sorter: RowSorter
    private let paths: [BoundPath]
    private let resolver: SnapshotResolver

    /// - Parameters:
    ///   - sorts: the sort keys, the most significant first.
    ///   - snapshot: the snapshot that the rows were read from. Relationships are followed in it.
    ///   - layouts: the layouts of the rows.
    package init(_ sorts: [BoundSort], snapshot: any StoreSnapshot, layouts: RowLayouts) {
        resolver = SnapshotResolver(snapshot, layouts: layouts)
        sorter = RowSorter(sorts, layouts: layouts, resolver: resolver)
        paths = sorts.map(\.path)
    }

    /// Returns the rows in sorted order.
    package func sorted(_ batch: RowBatch) throws(StoreError) -> RowBatch {
        try resolver.prefetch(paths, for: batch)
        let sorted = try sorter.sorted(batch)
        resolver.forget()
        return sorted
    }

    /// Returns the leading key of each row, by index. Keeps the related rows that ``key(of:)``
    /// needs for these rows.
    func leadingKeys(of batch: RowBatch) throws(StoreError) -> [SortTable.Entry] {
        resolver.forget()
        try resolver.prefetch(paths, for: batch)
        return try sorter.leadingKeys(of: batch)
    }

    /// Compares rows with equal leading keys. The rows may belong to different stores. `nil` if the
    /// comparison needs more than the rows themselves.
    var comparison: RowSorter.Comparison? { sorter.comparison }

    /// Returns the row's complete key, which can be compared with keys of the same order on other
    /// stores.
    func key(of row: Row) throws(StoreError) -> SortKey { try sorter.key(of: row) }
}
