import CairnRows
import CairnStore

/// Passes on the batches of an engine's cursor until the task of the fetch is cancelled or its deadline
/// passes.
///
/// Used below cursors that read all matches of an engine before they return any. The fetch then ends
/// between two of the engine's batches, even if the engine checks neither the task nor the deadline.
final class CancellableCursor: RowCursor {
    private let source: any RowCursor
    private let plan: FetchPlan

    init(_ source: any RowCursor, _ plan: FetchPlan) {
        self.source = source
        self.plan = plan
    }

    var completed: CompletedStages { source.completed }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        try plan.checkCancellation()
        return try source.next(atMost: count)
    }
}
