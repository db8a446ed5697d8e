import CairnModel
import Foundation

/// A row filter that follows relationships row by row at first, and uses semi-joins as soon as it
/// has tested enough rows for them to pay.
///
/// So a fetch of a few rows does not look at all related objects, and a fetch of many rows does not
/// follow the relationships of each. Used by one thread at a time.
package final class JoiningFilter {
    private let predicate: BoundPredicate
    private let layouts: RowLayouts
    private let resolver: any RowResolver
    private let planner: SemiJoinPlanner
    private let now = Date()
    private let isCancellable: Bool
    private var filter: RowFilter
    private var testedCount = 0
    /// The number of tested rows at which the planner is asked again.
    private var nextPlanning = 256
    /// Whether a semi-join may still pay.
    private var isPending = true
    /// The semi-joins that were made.
    package private(set) var joins = SemiJoins()

    /// Compiles the predicate.
    ///
    /// - Parameters:
    ///   - resolver: asked for the rows that relationships lead to, until there are semi-joins.
    ///   - isCancellable: see ``FetchPlan/isCancellable``.
    /// - Throws: `.invalidRegularExpression`, for a predicate that was not bound.
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

    /// Whether testing a row may mean following its relationships.
    package var followsRelationships: Bool { filter.valuesTest == nil }

    /// The condition as it is compiled now.
    package var rowFilter: RowFilter { filter }

    /// Makes the semi-joins that pay if `rowCount` rows are tested.
    ///
    /// - Throws: what the snapshot of the planner throws.
    package func prepare(testing rowCount: Int) throws(StoreError) {
        guard isPending else { return }
        let former = joins.count
        isPending = try planner.extend(&joins, for: predicate, testing: rowCount)
        guard joins.count > former else { return }
        // What compiled once compiles again.
        let joined = try? RowFilter(
            predicate, layouts: layouts, resolver: resolver, joins: joins, now: now,
            isCancellable: isCancellable)
        filter = joined ?? filter
    }

    /// Whether the predicate holds for the object of the row.
    ///
    /// - Throws: what the resolver or the planner's snapshot throws.
    package func matches(_ row: Row) throws(StoreError) -> Bool {
        if isPending { try count(1) }
        return try filter.matches(row)
    }

    /// Returns the rows of the batch for which the predicate holds, in their order.
    ///
    /// - Parameter prefetch: called before relationships are followed from the batch.
    /// - Throws: what the resolver, the planner's snapshot or `prefetch` throws.
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
