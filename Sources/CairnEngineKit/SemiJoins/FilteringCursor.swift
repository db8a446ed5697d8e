import CairnModel
import CairnRows
import CairnStore

/// A cursor that returns those matches of another cursor that also fulfil the remaining part of the
/// predicate.
package final class FilteringCursor: RowCursor {
    package let completed = CompletedStages()
    private let source: any RowCursor
    private let filter: JoiningFilter
    private let paths: [BoundPath]
    private let resolver: SnapshotResolver

    /// - Parameters:
    ///   - source: the cursor whose rows are tested.
    ///   - predicate: the condition, bound to an entity of the model.
    ///   - snapshot: the snapshot that the cursor reads. Relationships are followed in it.
    ///   - layouts: the layouts of the rows that are tested.
    ///   - isCancellable: see ``FetchPlan/isCancellable``.
    /// - Throws: `.invalidRegularExpression` if the predicate was not bound.
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
                // Prefetch whole batches: following a path row by row takes one call for each row.
                resolver.forget()
                try resolver.prefetch(paths, for: batch)
            }
            if !matches.isEmpty { return matches }
        }
        return nil
    }
}

/// A cursor that can provide its matches without copying them.
package protocol VisitingCursor: RowCursor {
    /// Calls the body with each match, in any order. A semi-join reads only one number from each
    /// row. With this method it neither copies nor gathers rows, which halves the instructions for
    /// rows in memory.
    ///
    /// The body must not use the cursor or its snapshot. A row is valid only during the call.
    ///
    /// - Precondition: the plan has neither offset nor limit, all stages are completed, and no
    ///   match has been read yet.
    /// - Throws: the errors of ``RowCursor/next(atMost:)``.
    func forEachMatch(_ body: (RowPointer) -> Void) throws(StoreError)
}
