import CairnModel
import CairnStore

/// Answers a plan from the states of some stores: has each engine do what it can, finishes the rest
/// in memory, and merges the answers.
struct FetchPipeline {
    var plan: FetchPlan
    let layouts: RowLayouts

    /// Returns the matches; rows also go into the row caches.
    func fetch(from set: SnapshotSet) throws(GraphError) -> RowBatch {
        let cursor = try cursor(on: set)
        let result = try GraphError.translating { () throws(StoreError) in
            var result = RowBatch()
            let count = set.rowsPerBatch
            while let batch = try cursor.next(atMost: count) { result.append(batch) }
            return result
        }
        if plan.output == .ids {
            return result.holdsIDsOnly ? result : RowBatch(ids: result.ids)
        }
        for member in set.members {
            let isOnly = set.members.count == 1
            member.attached.rowCache.insert(
                isOnly ? result : result.rows(of: member.attached.number),
                from: member.snapshot.generation)
        }
        return result
    }

    /// Returns how many matches there are, offset and limit applied.
    func count(in set: SnapshotSet) throws(GraphError) -> Int {
        var whole = self
        whole.plan.sorts = []
        whole.plan.output = .ids
        whole.plan.offset = 0
        whole.plan.limit = nil
        var total = 0
        for member in set.members { total += try whole.count(in: member) }
        let matches = max(0, total - max(0, plan.offset))
        return min(matches, max(0, plan.limit ?? .max))
    }

    private func count(in member: SnapshotSet.Member) throws(GraphError) -> Int {
        let counted = try GraphError.translating { () throws(StoreError) in
            try plan.checkCancellation()
            return try member.snapshot.count(plan)
        }
        if let counted { return counted }
        let cursor = try finishedCursor(on: member)
        return try GraphError.translating { () throws(StoreError) in
            var total = 0
            let count = max(1, member.snapshot.readPreferences.rowsPerBatch)
            while let batch = try cursor.next(atMost: count) { total += batch.count }
            return total
        }
    }

    // MARK: Cursors

    /// Returns a cursor on the matches of all stores, every stage of the plan done.
    func cursor(on set: SnapshotSet) throws(GraphError) -> any RowCursor {
        if set.members.count == 1, let member = set.members.first {
            return try finishedCursor(on: member)
        }
        let share = FetchPipeline(plan: planForEachStore, layouts: layouts)
        var sources: [(cursor: any RowCursor, order: RowOrder, store: StoreNumber)] = []
        for member in set.members {
            let cursor = try share.finishedCursor(on: member)
            sources.append((cursor, order(on: member), member.attached.number))
        }
        let merged: any RowCursor =
            plan.sorts.isEmpty
            ? ConcatenatingCursor(sources.map(\.cursor)) : MergingCursor(sources)
        return PagingCursor(merged, offset: plan.offset, limit: plan.limit)
    }

    /// What each of several stores is asked: the first matches of all may be one store's.
    private var planForEachStore: FetchPlan {
        var share = plan
        (share.offset, share.limit) = (0, plan.concernedCount)
        // The answers are merged by the values of their rows.
        if !plan.sorts.isEmpty { share.output = .rows }
        return share
    }

    /// Returns a cursor on one store that does every stage of the plan.
    private func finishedCursor(
        on member: SnapshotSet.Member
    ) throws(GraphError) -> any RowCursor {
        var cursor = try start(plan, on: member)
        if !cursor.completed.isComplete, plan.output == .ids {
            // What the engine left over is judged by the values of the rows.
            var withRows = plan
            withRows.output = .rows
            cursor = try start(withRows, on: member)
        }
        return try finish(cursor, on: member)
    }

    /// Does in memory what the engine says it did not.
    private func finish(
        _ cursor: any RowCursor, on member: SnapshotSet.Member
    ) throws(GraphError) -> any RowCursor {
        let done = cursor.completed
        var cursor = cursor
        if let predicate = done.remainingPredicate {
            do {
                cursor = try FilteringCursor(
                    cursor, predicate, snapshot: member.snapshot, layouts: layouts,
                    isCancellable: plan.isCancellable)
            } catch {
                throw .predicate(error)
            }
        }
        if !done.isSorted, !plan.sorts.isEmpty {
            cursor = SortingCursor(
                cursor, order: order(on: member), atMost: plan.concernedCount)
        }
        if !done.isPaged {
            cursor = PagingCursor(cursor, offset: plan.offset, limit: plan.limit)
        }
        return cursor
    }

    private func start(
        _ plan: FetchPlan, on member: SnapshotSet.Member
    ) throws(GraphError) -> any RowCursor {
        try GraphError.translating { () throws(StoreError) in
            try plan.checkCancellation()
            let cursor = try member.snapshot.cursor(plan)
            let canEnd = plan.isCancellable || StoreDeadline.current != nil
            return canEnd ? CancellableCursor(cursor, plan) : cursor
        }
    }

    private func order(on member: SnapshotSet.Member) -> RowOrder {
        RowOrder(plan.sorts, snapshot: member.snapshot, layouts: layouts)
    }
}
