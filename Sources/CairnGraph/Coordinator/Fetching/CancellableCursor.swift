import CairnStore

/// The matches of an engine's cursor, until the task of the fetch is cancelled or its deadline passes.
///
/// For cursors that read all matches of an engine before they answer: a fetch then ends between two of the
/// engine's batches, even if the engine looks neither at its task nor at the deadline.
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
