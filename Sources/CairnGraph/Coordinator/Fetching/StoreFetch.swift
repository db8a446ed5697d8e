import CairnStore

/// Answers a plan from the state of one store: has the engine do what it can, and finishes the rest in
/// memory.
struct StoreFetch: Sendable {
    let plan: FetchPlan
    let layouts: RowLayouts
    let snapshot: any StoreSnapshot

    var order: RowOrder { RowOrder(plan.sorts, snapshot: snapshot, layouts: layouts) }

    /// Returns how many matches there are, offset and limit applied.
    ///
    /// - Throws: what the store throws; `.predicate`; `.cancelled`.
    func count() throws(StoreError) -> Int {
        try plan.checkCancellation()
        if let counted = try snapshot.count(plan) { return counted }
        let cursor = try cursor()
        var total = 0
        let count = max(1, snapshot.readPreferences.rowsPerBatch)
        while let batch = try cursor.next(atMost: count) { total += batch.count }
        return total
    }

    /// Returns a cursor that does every stage of the plan, and answers what the plan asks for.
    ///
    /// - Throws: as ``count()``.
    func cursor() throws(StoreError) -> any RowCursor {
        let cursor = try start(plan)
        if cursor.completed.isComplete { return cursor }
        guard plan.output == .ids else { return try finish(cursor) }
        // What the engine left over is judged by the values of the rows.
        var withRows = plan
        withRows.output = .rows
        return IDCursor(try finish(try start(withRows)))
    }

    /// Returns a cursor on the matches of a part, which the engine finds without help.
    ///
    /// - Throws: what ``FetchPart/cursor()`` throws; `.cancelled`.
    func cursor(on part: FetchPart) throws(StoreError) -> any RowCursor {
        try plan.checkCancellation()
        return cancellable(try part.cursor())
    }

    private func start(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        try plan.checkCancellation()
        return cancellable(try snapshot.cursor(plan))
    }

    private func cancellable(_ cursor: any RowCursor) -> any RowCursor {
        let canEnd = plan.isCancellable || StoreDeadline.current != nil
        return canEnd ? CancellableCursor(cursor, plan) : cursor
    }

    /// Does in memory what the engine says it did not.
    private func finish(_ cursor: any RowCursor) throws(StoreError) -> any RowCursor {
        let done = cursor.completed
        var cursor = cursor
        if let predicate = done.remainingPredicate {
            do {
                cursor = try FilteringCursor(
                    cursor, predicate, snapshot: snapshot, layouts: layouts,
                    isCancellable: plan.isCancellable)
            } catch {
                throw .predicate(error)
            }
        }
        if !done.isSorted, !plan.sorts.isEmpty {
            cursor = SortingCursor(cursor, order: order, atMost: plan.concernedCount)
        }
        if !done.isPaged {
            cursor = PagingCursor(cursor, offset: plan.offset, limit: plan.limit)
        }
        return cursor
    }
}

/// The IDs of the rows of a cursor.
private final class IDCursor: RowCursor {
    let completed = CompletedStages()
    private let source: any RowCursor

    init(_ source: any RowCursor) { self.source = source }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        try source.next(atMost: count).map { RowBatch(ids: $0.ids) }
    }
}
