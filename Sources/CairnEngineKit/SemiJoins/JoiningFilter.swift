import CairnModel
import CairnRows
import CairnStore
import Foundation

/// A row filter that first follows relationships row by row, and switches to semi-joins when it has
/// tested enough rows for semi-joins to pay off.
///
/// A fetch of a few rows therefore does not look at all related objects, and a fetch of many rows
/// does not follow the relationships of each row. The filter is used by one thread at a time.
package final class JoiningFilter {
    private let predicate: BoundPredicate
    private let layouts: RowLayouts
    private let resolver: any RowResolver
    private let planner: SemiJoinPlanner
    private let now = Date()
    private let isCancellable: Bool
    private var filter: RowFilter
    private var testedCount = 0
    /// The number of tested rows after which the planner is consulted again.
    private var nextPlanning = 256
    /// Whether another semi-join may still pay off.
    private var isPending = true
    /// The semi-joins that were created.
    package private(set) var joins = SemiJoins()

    /// Compiles the predicate.
    ///
    /// - Parameters:
    ///   - predicate: the condition, bound to an entity of the model.
    ///   - layouts: the layouts of the rows that are tested.
    ///   - resolver: finds the rows that relationships lead to, until semi-joins replace it.
    ///   - planner: decides which semi-joins pay, and creates them.
    ///   - isCancellable: see ``FetchPlan/isCancellable``.
    /// - Throws: `.invalidRegularExpression` if the predicate was not bound.
    package init(
        _ predicate: BoundPredicate, layouts: RowLayouts, resolver: any RowResolver,
        planner: SemiJoinPlanner, isCancellable: Bool
    ) throws(FetchPredicateError) {
        self.predicate = predicate
        self.layouts = layouts
        self.resolver = resolver
        self.planner = planner
        self.isCancellable = isCancellable
        filter = try RowFilter(
            predicate, layouts: layouts, resolver: resolver, now: now,
            isCancellable: isCancellable)
        isPending = filter.valuesTest == nil
    }

    /// Whether testing a row may require following its relationships.
    package var followsRelationships: Bool { filter.valuesTest == nil }

    /// The condition in its current compiled form.
    package var rowFilter: RowFilter { filter }

    /// Creates the semi-joins that pay if `rowCount` rows are tested.
    ///
    /// - Throws: the errors of the planner's snapshot.
    package func prepare(testing rowCount: Int) throws(StoreError) {
        guard isPending else { return }
        let former = joins.count
        isPending = try planner.extend(&joins, for: predicate, testing: rowCount)
        guard joins.count > former else { return }
        // The predicate has compiled before, so it compiles again.
        let joined = try? RowFilter(
            predicate, layouts: layouts, resolver: resolver, joins: joins, now: now,
            isCancellable: isCancellable)
        filter = joined ?? filter
    }

    /// Returns whether the row's object fulfils the predicate.
    ///
    /// - Throws: the errors of the resolver and of the planner's snapshot.
    package func matches(_ row: Row) throws(StoreError) -> Bool {
        if isPending { try count(1) }
        return try filter.matches(row)
    }

    /// Returns the rows of the batch that fulfil the predicate, in the same order.
    ///
    /// - Parameters:
    ///   - batch: the rows to test.
    ///   - prefetch: called before relationships are followed from the batch.
    /// - Throws: the errors of the resolver, of the planner's snapshot and of `prefetch`.
    package func filter(
        _ batch: RowBatch, prefetch: (RowBatch) throws(StoreError) -> Void
    ) throws(StoreError) -> RowBatch {
        if isPending { try count(batch.count) }
        if followsRelationships { try prefetch(batch) }
        return try filter.filter(batch)
    }

    private func count(_ rowCount: Int) throws(StoreError) {
        testedCount += rowCount
        guard testedCount >= nextPlanning else { return }
        nextPlanning = testedCount * 2
        try prepare(testing: testedCount)
    }
}

extension RowCursor {
    /// Returns a cursor of those matches that also fulfil the remaining part of the predicate.
    ///
    /// - Parameters:
    ///   - predicate: the condition, bound to an entity of the model.
    ///   - snapshot: the snapshot that the cursor reads. Relationships are followed in it.
    ///   - layouts: the layouts of the rows that are tested.
    ///   - isCancellable: see ``FetchPlan/isCancellable``.
    /// - Throws: `.invalidRegularExpression` if the predicate was not bound.
    package func filtered(
        by predicate: BoundPredicate, snapshot: any StoreSnapshot, layouts: RowLayouts,
        isCancellable: Bool
    ) throws(FetchPredicateError) -> any RowCursor {
        let resolver = SnapshotResolver(snapshot, layouts: layouts)
        let filter = try JoiningFilter(
            predicate, layouts: layouts, resolver: resolver,
            planner: SemiJoinPlanner(snapshot, layouts: layouts, isCancellable: isCancellable),
            isCancellable: isCancellable)
        let paths = predicate.paths
        return BatchCursor { count throws(StoreError) in
            while let batch = try self.next(atMost: count) {
                let matches = try filter.filter(batch) { batch throws(StoreError) in
                    // Prefetch whole batches: following a path row by row takes one call for each
                    // row.
                    resolver.forget()
                    try resolver.prefetch(paths, for: batch)
                }
                if !matches.isEmpty { return matches }
            }
            return nil
        }
    }
}

extension RowCursor {
    /// Returns a cursor of those matches that also fulfil a condition that follows references.
    ///
    /// Semi-joins are not used, because a key identifies an object only in its store.
    ///
    /// - Parameters:
    ///   - predicate: the condition, bound to an entity of the model.
    ///   - snapshot: the states of the stores to which references lead, and of that of the matches.
    ///   - layouts: the layouts of the rows that are tested.
    ///   - isCancellable: see ``FetchPlan/isCancellable``.
    /// - Throws: `.invalidRegularExpression` if the predicate was not bound.
    package func filtered(
        by predicate: BoundPredicate, following snapshot: any ReferenceFollowing,
        layouts: RowLayouts, isCancellable: Bool
    ) throws(FetchPredicateError) -> any RowCursor {
        let resolver = SnapshotResolver(snapshot, layouts: layouts)
        let filter = try RowFilter(
            predicate, layouts: layouts, resolver: resolver, isCancellable: isCancellable)
        let paths = predicate.paths
        return BatchCursor(of: self) { count throws(StoreError) in
            while let batch = try self.next(atMost: count) {
                resolver.forget()
                try resolver.prefetch(paths, for: batch)
                let matches = try filter.filter(batch)
                if !matches.isEmpty { return matches }
            }
            return nil
        }
    }
}
