import CairnModel
import CairnStore
import CairnThreads

/// Answers a plan from the states of some stores: has each engine do what it can, finishes the rest
/// in memory, and merges the answers.
struct FetchPipeline {
    var plan: FetchPlan
    let layouts: RowLayouts
    let parallelReading: ParallelReading

    init(_ plan: FetchPlan, of coordinator: PersistentStoreCoordinator) {
        self.plan = plan
        layouts = coordinator.layouts
        parallelReading = coordinator.parallelReading
    }

    /// Returns the matches; rows also go into the row caches.
    func fetch(from set: SnapshotSet) throws(GraphError) -> RowBatch {
        let result = try fetchWithoutCaching(from: set)
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

    private func fetchWithoutCaching(from set: SnapshotSet) throws(GraphError) -> RowBatch {
        guard set.members.count > 1 else {
            return try rows(of: cursor(on: set), rowsPerBatch: set.rowsPerBatch)
        }
        return try parallelReading.reading(.init(plan)) { inParallel throws(GraphError) in
            var sources = try sources(on: set)
            // This thread reads the first store.
            let others = inParallel ? Array(sources.indices.dropFirst()) : []
            let ahead = others.map { index in
                ReadAheadCursor(
                    sources[index].cursor, plan, rowsPerBatch: set.rowsPerBatch,
                    on: parallelReading.executor)
            }
            defer { for cursor in ahead { cursor.end() } }
            for (index, cursor) in zip(others, ahead) { sources[index].cursor = cursor }
            return try rows(of: merged(sources), rowsPerBatch: set.rowsPerBatch)
        }
    }

    private func rows(
        of cursor: any RowCursor, rowsPerBatch: Int
    ) throws(GraphError) -> RowBatch {
        try GraphError.translating { () throws(StoreError) in
            var result = RowBatch()
            while let batch = try cursor.next(atMost: rowsPerBatch) { result.append(batch) }
            return result
        }
    }

    /// Returns how many matches there are, offset and limit applied.
    func count(in set: SnapshotSet) throws(GraphError) -> Int {
        var whole = self
        whole.plan.sorts = []
        whole.plan.output = .ids
        whole.plan.offset = 0
        whole.plan.limit = nil
        let total = try whole.countAll(in: set)
        let matches = max(0, total - max(0, plan.offset))
        return min(matches, max(0, plan.limit ?? .max))
    }

    private func countAll(in set: SnapshotSet) throws(GraphError) -> Int {
        guard set.members.count > 1 else { return try count(in: set.members[0]) }
        let kind = ParallelReading.Kind(plan, isCount: true)
        return try parallelReading.reading(kind) { inParallel throws(GraphError) in
            let others = inParallel ? set.members.dropFirst() : []
            let ahead = others.map { member in
                ConcurrentWork(on: parallelReading.executor) { () throws(GraphError) in
                    try count(in: member)
                }
            }
            defer { for work in ahead { work.end() } }
            var total = 0
            for member in set.members.dropLast(ahead.count) { total += try count(in: member) }
            for work in ahead { total += try work.result(cancellable: plan.isCancellable) }
            return total
        }
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
        return merged(try sources(on: set))
    }

    /// The matches of one of several stores.
    private struct Source {
        var cursor: any RowCursor
        let order: RowOrder
        let store: StoreNumber
    }

    private func sources(on set: SnapshotSet) throws(GraphError) -> [Source] {
        var share = self
        share.plan = planForEachStore
        var sources: [Source] = []
        for member in set.members {
            sources.append(
                Source(
                    cursor: try share.finishedCursor(on: member), order: order(on: member),
                    store: member.attached.number))
        }
        return sources
    }

    private func merged(_ sources: [Source]) -> any RowCursor {
        let merged: any RowCursor =
            plan.sorts.isEmpty
            ? ConcatenatingCursor(sources.map(\.cursor))
            : MergingCursor(sources.map { ($0.cursor, $0.order, $0.store) })
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
