import CairnModel
import CairnStore

/// A plan's order on the rows of one store.
final class RowOrder {
    private let sorter: RowSorter
    private let paths: [BoundPath]
    private let resolver: SnapshotResolver

    /// - Parameter snapshot: the state the rows are from: relationships are followed in it.
    init(_ sorts: [BoundSort], snapshot: any StoreSnapshot, layouts: RowLayouts) {
        resolver = SnapshotResolver(snapshot, layouts: layouts)
        sorter = RowSorter(sorts, layouts: layouts, resolver: resolver)
        paths = sorts.map(\.path)
    }

    /// Returns the rows in order.
    func sorted(_ batch: RowBatch) throws(StoreError) -> RowBatch {
        try resolver.prefetch(paths, for: batch)
        let sorted = try sorter.sorted(batch)
        resolver.forget()
        return sorted
    }

    /// Returns the key of each row, to be compared with those of the same order on other stores.
    func keys(of batch: RowBatch) throws(StoreError) -> [SortKey] {
        try resolver.prefetch(paths, for: batch)
        var keys: [SortKey] = []
        keys.reserveCapacity(batch.count)
        for index in batch.rowIndices { keys.append(try sorter.key(of: batch[row: index])) }
        resolver.forget()
        return keys
    }
}
