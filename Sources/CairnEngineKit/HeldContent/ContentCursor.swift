import CairnModel
import CairnRows
import CairnStore

/// A cursor over the rows of some entities, sorted by key. The coordinator filters, sorts and pages
/// them.
final class ContentCursor: RowCursor {
    let completed: CompletedStages
    private let requireOpen: @Sendable () throws(StoreError) -> Void
    private let output: FetchPlan.Output
    private var rows: ArraySlice<Row>

    init(
        _ plan: FetchPlan, _ rows: [Row],
        requireOpen: @escaping @Sendable () throws(StoreError) -> Void
    ) {
        self.requireOpen = requireOpen
        self.rows = rows[...]
        output = plan.output
        completed = CompletedStages(
            remainingPredicate: plan.predicate, isSorted: plan.sorts.isEmpty,
            isPaged: plan.offset == 0 && plan.limit == nil)
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        try StoreDeadline.check()
        try requireOpen()
        let batch = rows.prefix(count)
        rows = rows.dropFirst(count)
        if batch.isEmpty { return nil }
        return output == .ids ? RowBatch(ids: batch.map(\.id)) : RowBatch(batch)
    }
}
