import CairnModel

/// A plan's order on the rows of one store.
///
/// Used by one thread at a time.
package final class RowOrder {
    private let sorter: RowSorter
    private let paths: [BoundPath]
    private let resolver: SnapshotResolver

    /// - Parameter snapshot: the state that the rows are from. Relationships are followed in it.
    package init(_ sorts: [BoundSort], snapshot: any StoreSnapshot, layouts: RowLayouts) {
        resolver = SnapshotResolver(snapshot, layouts: layouts)
        sorter = RowSorter(sorts, layouts: layouts, resolver: resolver)
        paths = sorts.map(\.path)
    }

    /// Returns the rows in order.
    package func sorted(_ batch: RowBatch) throws(StoreError) -> RowBatch {
        try resolver.prefetch(paths, for: batch)
        let sorted = try sorter.sorted(batch)
        resolver.forget()
        return sorted
    }

    /// Returns the leading key of each row, by its index, and keeps what ``key(of:)`` will read for these
    /// rows.
    func leadingKeys(of batch: RowBatch) throws(StoreError) -> [SortTable.Entry] {
        resolver.forget()
        try resolver.prefetch(paths, for: batch)
        return try sorter.leadingKeys(of: batch)
    }

    /// Compares rows whose leading keys are alike, also those of different stores. `nil` if that needs
    /// more than the rows.
    var comparison: RowSorter.Comparison? { sorter.comparison }

    /// Returns the row's key, to be compared with those of the same order on other stores.
    func key(of row: Row) throws(StoreError) -> SortKey { try sorter.key(of: row) }
}
