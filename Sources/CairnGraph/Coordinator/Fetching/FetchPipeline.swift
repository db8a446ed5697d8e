import CairnModel
import CairnStore
import CairnThreads

/// Answers a plan from the states of some stores: has each engine do what it can, finishes the rest in
/// memory, and merges the answers.
struct FetchPipeline: Sendable {
    private(set) var plan: FetchPlan
    private let parallelReading: ParallelReading
    let layouts: RowLayouts

    init(_ plan: FetchPlan, of coordinator: PersistentStoreCoordinator) {
        self.plan = plan
        layouts = coordinator.layouts
        parallelReading = coordinator.parallelReading
    }

    /// Returns the matches; rows also go into the row caches.
    func fetch(from set: SnapshotSet) throws(StoreError) -> RowBatch {
        let result =
            set.members.count == 1
            ? try rowsOfOneStore(set) : try mergedRows(of: set)
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
    func count(in set: SnapshotSet) throws(StoreError) -> Int {
        var whole = self
        whole.plan.sorts = []
        whole.plan.output = .ids
        (whole.plan.offset, whole.plan.limit) = (0, nil)
        let snapshots = set.members.map(\.snapshot)
        let total =
            snapshots.count == 1
            ? try whole.count(in: snapshots[0]) : try whole.sum(snapshots)
        let matches = max(0, total - max(0, plan.offset))
        return min(matches, max(0, plan.limit ?? .max))
    }

    /// Returns a cursor on the matches of all stores, every stage of the plan done.
    func cursor(on set: SnapshotSet) throws(StoreError) -> any RowCursor {
        if set.members.count == 1 { return try cursor(on: set.members[0].snapshot) }
        var answers: [any RowCursor] = []
        for member in set.members { answers.append(try share.cursor(on: member.snapshot)) }
        return merge(answers, of: set)
    }

    private func rows(
        of cursor: any RowCursor, rowsPerBatch: Int
    ) throws(StoreError) -> RowBatch {
        var result = RowBatch()
        while let batch = try cursor.next(atMost: rowsPerBatch) {
            result.append(batch)
            try plan.checkCancellation()
        }
        return result
    }

    /// Returns the matches in the only store: large ones are read by several threads.
    private func rowsOfOneStore(_ set: SnapshotSet) throws(StoreError) -> RowBatch {
        let snapshot = set.members[0].snapshot
        let parts = plan.asksForAll ? try parallelReading.parts(of: plan, in: snapshot) : []
        guard parts.count > 1 else {
            return try rows(of: cursor(on: set), rowsPerBatch: set.rowsPerBatch)
        }
        return try readingAhead(parts, rowsPerBatch: set.rowsPerBatch) { ConcatenatingCursor($0) }
    }

    /// Returns the rows of several parts. This thread reads the first, and other threads the rest.
    ///
    /// - Parameter join: makes one cursor of those of the parts.
    private func readingAhead(
        _ parts: [FetchPart], rowsPerBatch: Int,
        _ join: ([any RowCursor]) -> any RowCursor
    ) throws(StoreError) -> RowBatch {
        let ahead = parts.dropFirst().map { part in
            ReadAheadCursor(
                plan, rowsPerBatch: rowsPerBatch, on: parallelReading.executor
            ) { () throws(StoreError) in try part.cursor() }
        }
        defer { for cursor in ahead { cursor.end() } }
        let first = try parts[0].cursor()
        return try rows(of: join([first] + ahead), rowsPerBatch: rowsPerBatch)
    }

    // MARK: Several stores

    /// What each of several stores is asked: the first matches of all may be one store's.
    private var share: FetchPipeline {
        var share = self
        (share.plan.offset, share.plan.limit) = (0, plan.concernedCount)
        // The answers are merged by the values of their rows.
        if !plan.sorts.isEmpty { share.plan.output = .rows }
        return share
    }

    /// - Parameter answers: of the set's stores, in their order.
    private func merge(_ answers: [any RowCursor], of set: SnapshotSet) -> any RowCursor {
        let merged: any RowCursor =
            plan.sorts.isEmpty
            ? ConcatenatingCursor(answers)
            : MergingCursor(
                zip(answers, set.members).map { cursor, member in
                    (cursor, order(in: member.snapshot), member.attached.number)
                })
        return PagingCursor(merged, offset: plan.offset, limit: plan.limit)
    }

    private func mergedRows(of set: SnapshotSet) throws(StoreError) -> RowBatch {
        try parallelReading.reading(.init(plan)) { inParallel throws(StoreError) in
            guard inParallel else {
                return try rows(of: cursor(on: set), rowsPerBatch: set.rowsPerBatch)
            }
            let parts = set.members.map { [share] member in
                FetchPart { () throws(StoreError) in try share.cursor(on: member.snapshot) }
            }
            return try readingAhead(parts, rowsPerBatch: set.rowsPerBatch) { answers in
                merge(answers, of: set)
            }
        }
    }

    /// Returns what the stores count together.
    private func sum(_ snapshots: [any StoreSnapshot]) throws(StoreError) -> Int {
        let kind = ParallelReading.Kind(plan, isCount: true)
        return try parallelReading.reading(kind) { inParallel throws(StoreError) in
            let others = inParallel ? snapshots.dropFirst() : []
            let ahead = others.map { snapshot in
                ConcurrentWork(on: parallelReading.executor) { () throws(StoreError) in
                    try count(in: snapshot)
                }
            }
            defer { for work in ahead { work.end() } }
            var total = 0
            for snapshot in snapshots.dropLast(ahead.count) { total += try count(in: snapshot) }
            for work in ahead { total += try work.result(cancellable: plan.isCancellable) }
            return total
        }
    }
}
