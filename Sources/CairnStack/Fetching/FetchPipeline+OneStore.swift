import CairnEngineKit
import CairnRows
import CairnStore

/// The part of a fetch that concerns one store.
extension FetchPipeline {
    func order(in snapshot: any StoreSnapshot) -> RowOrder {
        RowOrder(plan.sorts, snapshot: snapshot, layouts: layouts)
    }

    /// Returns the number of matches, after applying offset and limit.
    ///
    /// - Throws: The errors of the store; `.predicate`; `.cancelled`.
    func count(in snapshot: any StoreSnapshot) throws(StoreError) -> Int {
        try plan.checkCancellation()
        if let counted = try snapshot.count(plan) { return counted }
        let cursor = try cursor(on: snapshot)
        var total = 0
        let count = max(1, snapshot.readPreferences.rowsPerBatch)
        while let batch = try cursor.next(atMost: count) {
            total += batch.count
            try plan.checkCancellation()
        }
        return total
    }

    /// Returns a cursor that performs every stage of the plan and returns the plan's kind of output.
    ///
    /// The code that reads from the cursor must check the task and the deadline between batches.
    ///
    /// - Throws: The same errors as ``count(in:)``.
    func cursor(on snapshot: any StoreSnapshot) throws(StoreError) -> any RowCursor {
        try plan.checkCancellation()
        let cursor = try snapshot.cursor(plan)
        if cursor.completed.isComplete { return cursor }
        guard plan.output == .ids else { return try finish(cursor, of: snapshot) }
        // The stages that the engine left over need the values of the rows.
        var withRows = plan
        withRows.output = .rows
        return try finish(try snapshot.cursor(withRows), of: snapshot).withoutRows()
    }

    /// Performs the stages in memory that the engine did not perform.
    private func finish(
        _ cursor: any RowCursor, of snapshot: any StoreSnapshot
    ) throws(StoreError) -> any RowCursor {
        let done = cursor.completed
        // The cursors below may read all of it before they return any rows.
        var cursor: any RowCursor = CancellableCursor(cursor, plan)
        if let predicate = done.remainingPredicate {
            do {
                cursor = try cursor.filtered(
                    by: predicate, snapshot: snapshot, layouts: layouts,
                    isCancellable: plan.isCancellable)
            } catch {
                throw .predicate(error)
            }
        }
        if !done.isSorted, !plan.sorts.isEmpty {
            cursor = cursor.sorted(by: order(in: snapshot), atMost: plan.concernedCount)
        }
        return done.isPaged ? cursor : cursor.paged(offset: plan.offset, limit: plan.limit)
    }
}
