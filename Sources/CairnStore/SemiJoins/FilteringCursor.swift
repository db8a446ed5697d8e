import CairnModel

/// The matches of a cursor for which the part of the predicate that the engine left holds too.
package final class FilteringCursor: RowCursor {
    package let completed = CompletedStages()
    private let source: any RowCursor
    private let filter: JoiningFilter
    private let paths: [BoundPath]
    private let resolver: SnapshotResolver

    /// - Parameters:
    ///   - snapshot: the state that the cursor reads. Relationships are followed in it.
    ///   - isCancellable: see ``FetchPlan/isCancellable``.
    /// - Throws: `.invalidRegularExpression`, for a predicate that was not bound.
    package init(
        _ source: any RowCursor, _ predicate: BoundPredicate, snapshot: any StoreSnapshot,
        layouts: RowLayouts, isCancellable: Bool
    ) throws(FetchPredicateError) {
        self.source = source
        resolver = SnapshotResolver(snapshot, layouts: layouts)
        filter = try JoiningFilter(
            predicate, layouts: layouts, resolver: resolver,
            planner: SemiJoinPlanner(
                snapshot, layouts: layouts, isCancellable: isCancellable),
            isCancellable: isCancellable)
        paths = predicate.paths
    }

    package func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        while let batch = try source.next(atMost: count) {
            let matches = try filter.filter(batch) { batch throws(StoreError) in
                // Whole batches at a time: following a path row by row is a call for each.
                resolver.forget()
                try resolver.prefetch(paths, for: batch)
            }
            if !matches.isEmpty { return matches }
        }
        return nil
    }
}
