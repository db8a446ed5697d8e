import CairnModel
import CairnStore

/// The matches of a cursor for which what remains of the predicate holds too.
final class FilteringCursor: RowCursor {
    let completed = CompletedStages()
    private let source: any RowCursor
    private let filter: RowFilter
    private let paths: [BoundPath]
    private let resolver: SnapshotResolver

    /// - Parameter snapshot: the state that the cursor reads: relationships are followed in it.
    init(
        _ source: any RowCursor, _ predicate: BoundPredicate, snapshot: any StoreSnapshot,
        layouts: RowLayouts
    ) throws(FetchPredicateError) {
        self.source = source
        resolver = SnapshotResolver(snapshot, layouts: layouts)
        filter = try RowFilter(predicate, layouts: layouts, resolver: resolver)
        paths = predicate.paths
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        while let batch = try source.next(atMost: count) {
            // Whole batches at a time: following a path row by row is a call for each.
            resolver.forget()
            try resolver.prefetch(paths, for: batch)
            let matches = try filter.filter(batch)
            if !matches.isEmpty { return matches }
        }
        return nil
    }
}
