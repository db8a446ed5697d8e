import CairnModel
import CairnRows
import CairnStore

/// A cursor that returns the matches between a plan's offset and limit, in the plan's order, for an
/// engine that finds matches in another order.
///
/// The engine then returns only the wanted matches, instead of all matches for the coordinator to
/// sort.
package final class FirstMatchesCursor: RowCursor {
    package let completed = CompletedStages()
    private let page: PagingCursor
    private let output: FetchPlan.Output

    /// - Parameters:
    ///   - matches: rows that fulfil the plan's whole predicate.
    ///   - plan: the fetch, whose sort keys, offset and limit are applied.
    ///   - snapshot: the snapshot that the rows were read from. Relationships are followed in it.
    ///   - layouts: the layouts of the rows.
    package init(
        _ matches: any RowCursor, of plan: FetchPlan, snapshot: any StoreSnapshot,
        layouts: RowLayouts
    ) {
        let sorted = SortingCursor(
            matches, order: RowOrder(plan.sorts, snapshot: snapshot, layouts: layouts),
            atMost: plan.concernedCount)
        page = PagingCursor(sorted, offset: plan.offset, limit: plan.limit)
        output = plan.output
    }

    package func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        guard let batch = try page.next(atMost: count) else { return nil }
        return output == .rows ? batch : RowBatch(ids: batch.ids)
    }
}

extension FetchPlan {
    /// Whether every object of the entity matches, in any order.
    package var asksForAll: Bool {
        predicate == nil && sorts.isEmpty && offset <= 0 && limit == nil
    }

    /// The number of leading matches that are skipped or returned, or `nil` if there is no limit.
    package var concernedCount: Int? {
        guard let limit else { return nil }
        let (sum, overflows) = max(0, limit).addingReportingOverflow(max(0, offset))
        return overflows ? nil : sum
    }
}
