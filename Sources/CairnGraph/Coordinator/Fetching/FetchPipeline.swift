import CairnModel
import CairnStore
import CairnThreads

/// Answers a plan from the states of some stores: asks each of them, and merges the answers.
struct FetchPipeline {
    private let plan: FetchPlan
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
        var whole = plan
        whole.sorts = []
        whole.output = .ids
        whole.offset = 0
        whole.limit = nil
        let questions = set.members.map { question(whole, to: $0) }
        let total = questions.count == 1 ? try questions[0].count() : try sum(questions)
        let matches = max(0, total - max(0, plan.offset))
        return min(matches, max(0, plan.limit ?? .max))
    }

    /// Returns a cursor on the matches of all stores, every stage of the plan done.
    func cursor(on set: SnapshotSet) throws(StoreError) -> any RowCursor {
        if set.members.count == 1 { return try question(plan, to: set.members[0]).cursor() }
        var answers: [any RowCursor] = []
        for question in questions(to: set) { answers.append(try question.cursor()) }
        return merge(answers, of: set)
    }

    private func question(_ plan: FetchPlan, to member: SnapshotSet.Member) -> StoreFetch {
        StoreFetch(plan: plan, layouts: layouts, snapshot: member.snapshot)
    }

    private func rows(
        of cursor: any RowCursor, rowsPerBatch: Int
    ) throws(StoreError) -> RowBatch {
        var result = RowBatch()
        while let batch = try cursor.next(atMost: rowsPerBatch) { result.append(batch) }
        return result
    }

    /// Returns the matches in the only store: large ones are read by several threads.
    private func rowsOfOneStore(_ set: SnapshotSet) throws(StoreError) -> RowBatch {
        let question = question(plan, to: set.members[0])
        let parts = try parallelReading.parts(of: plan, in: question.snapshot)
        guard parts.count > 1 else {
            return try rows(of: cursor(on: set), rowsPerBatch: set.rowsPerBatch)
        }
        return try readingAhead(
            parts.map { part in
                FetchPart { () throws(StoreError) in try question.cursor(on: part) }
            }, rowsPerBatch: set.rowsPerBatch
        ) { ConcatenatingCursor($0) }
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
    private func questions(to set: SnapshotSet) -> [StoreFetch] {
        var share = plan
        (share.offset, share.limit) = (0, plan.concernedCount)
        // The answers are merged by the values of their rows.
        if !plan.sorts.isEmpty { share.output = .rows }
        return set.members.map { question(share, to: $0) }
    }

    /// - Parameter answers: of the set's stores, in their order.
    private func merge(_ answers: [any RowCursor], of set: SnapshotSet) -> any RowCursor {
        let merged: any RowCursor =
            plan.sorts.isEmpty
            ? ConcatenatingCursor(answers)
            : MergingCursor(
                zip(answers, set.members).map { cursor, member in
                    (cursor, question(plan, to: member).order, member.attached.number)
                })
        return PagingCursor(merged, offset: plan.offset, limit: plan.limit)
    }

    private func mergedRows(of set: SnapshotSet) throws(StoreError) -> RowBatch {
        try parallelReading.reading(.init(plan)) { inParallel throws(StoreError) in
            guard inParallel else {
                return try rows(of: cursor(on: set), rowsPerBatch: set.rowsPerBatch)
            }
            let parts = questions(to: set).map { question in
                FetchPart { () throws(StoreError) in try question.cursor() }
            }
            return try readingAhead(parts, rowsPerBatch: set.rowsPerBatch) { answers in
                merge(answers, of: set)
            }
        }
    }

    /// Returns what the stores count together.
    private func sum(_ questions: [StoreFetch]) throws(StoreError) -> Int {
        let kind = ParallelReading.Kind(plan, isCount: true)
        return try parallelReading.reading(kind) { inParallel throws(StoreError) in
            let others = inParallel ? questions.dropFirst() : []
            let ahead = others.map { question in
                ConcurrentWork(on: parallelReading.executor) { () throws(StoreError) in
                    try question.count()
                }
            }
            defer { for work in ahead { work.end() } }
            var total = 0
            for question in questions.dropLast(ahead.count) { total += try question.count() }
            for work in ahead { total += try work.result(cancellable: plan.isCancellable) }
            return total
        }
    }
}
