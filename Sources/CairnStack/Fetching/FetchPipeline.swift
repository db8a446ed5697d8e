import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import CairnThreads
import Foundation

/// Executes a plan on snapshots of one or more stores: lets each engine do what it can, does the rest in
/// memory, and merges the results.
struct FetchPipeline: Sendable {
    private(set) var plan: FetchPlan
    private let parallelReading: ParallelReading
    private let monitor: OperationMonitor
    let layouts: RowLayouts
    /// The states of the stores of the fetch, and of those that its references lead to.
    let joined: JoinedSnapshot
    /// What was read to find the keys to which references may lead.
    private var searches = FetchReport()

    /// - Throws: The errors of the stores, if objects are searched to which references may lead.
    init(
        _ plan: FetchPlan, of coordinator: PersistentStoreCoordinator,
        following joined: JoinedSnapshot
    ) throws(StoreError) {
        self.plan = plan
        self.joined = joined
        layouts = coordinator.layouts
        parallelReading = coordinator.parallelReading
        monitor = coordinator.monitor
        guard plan.followsReferences, let predicate = plan.predicate else { return }
        self.plan.predicate = try joined.replacingReferences(in: predicate, of: plan, &searches)
    }

    /// Returns the matches. Rows are also added to the row caches.
    func fetch(from set: SnapshotSet) throws(StoreError) -> RowBatch {
        let result = try counting { () throws(StoreError) in
            set.members.count == 1 ? try rowsOfOneStore(set) : try mergedRows(of: set)
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

    /// Returns what a closure fetches. Warns if engines read 1,000 times as many rows.
    private func counting(
        _ body: () throws(StoreError) -> RowBatch
    ) throws(StoreError) -> RowBatch {
        if plan.predicate == nil, plan.limit == nil { return try body() }
        let counter = StepCounter()
        let rows = try StepCounter.$rows.withValue(counter) { () -> Result<RowBatch, StoreError> in
            do throws(StoreError) { return .success(try body()) } catch { return .failure(error) }
        }.get()
        // A test may count all fetches.
        StepCounter.reportRows(counter.count)
        if counter.count / 1_000 >= max(1, rows.count) {
            monitor.noteWaste(of: plan, read: counter.count, returned: rows.count)
        }
        return rows
    }

    /// Returns the number of matches, after applying offset and limit.
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

    /// Returns a cursor on the matches of all stores that performs every stage of the plan.
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
            plan.progress?.note(found: result.count)
            try plan.checkCancellation()
        }
        return result
    }

    /// Returns the matches in the only store. Large results are read by several threads.
    private func rowsOfOneStore(_ set: SnapshotSet) throws(StoreError) -> RowBatch {
        let snapshot = set.members[0].snapshot
        let parts = plan.asksForAll ? try parallelReading.parts(of: plan, in: snapshot) : []
        guard parts.count > 1 else {
            return try rows(of: cursor(on: set), rowsPerBatch: set.rowsPerBatch)
        }
        return try readingAhead(parts, rowsPerBatch: set.rowsPerBatch) {
            BatchCursor.concatenating($0)
        }
    }

    /// Returns the rows of several parts. This thread reads the first part, and other threads read the
    /// rest.
    ///
    /// - Parameter join: Combines the parts' cursors into one.
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

    /// The fetch for each of several stores. It includes all of the first matches, because they may all
    /// be in one store.
    private var share: FetchPipeline {
        var share = self
        (share.plan.offset, share.plan.limit) = (0, plan.concernedCount)
        // Rows are needed because the results are merged by their values.
        if !plan.sorts.isEmpty { share.plan.output = .rows }
        return share
    }

    /// - Parameter answers: The cursors of the set's stores, in the order of the stores.
    private func merge(_ answers: [any RowCursor], of set: SnapshotSet) -> any RowCursor {
        let merged: any RowCursor =
            plan.sorts.isEmpty
            ? BatchCursor.concatenating(answers)
            : BatchCursor.merging(
                zip(answers, set.members).map { cursor, member in
                    (cursor, order(in: member.snapshot), member.attached.number)
                })
        return merged.paged(offset: plan.offset, limit: plan.limit)
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

    /// Returns the sum of the stores' counts.
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

/// The part of a fetch that concerns one store.
extension FetchPipeline {
    func order(in snapshot: any StoreSnapshot) -> RowOrder {
        RowOrder(
            plan.sorts, snapshot: plan.followsReferences ? joined : snapshot, layouts: layouts)
    }

    /// Starts the engine's part of the fetch. Engines do not follow references.
    private func start(
        _ plan: FetchPlan, on snapshot: any StoreSnapshot
    ) throws(StoreError) -> any RowCursor {
        guard plan.followsReferences else { return try snapshot.cursor(plan) }
        let (part, remaining) = plan.withoutReferences
        let cursor = try snapshot.cursor(part)
        let conditions = [cursor.completed.remainingPredicate].compactMap(\.self) + remaining
        let stages = CompletedStages(
            remainingPredicate: conditions.isEmpty ? nil : .and(conditions),
            isSorted: plan.sorts.isEmpty, isPaged: plan.offset == 0 && plan.limit == nil)
        return BatchCursor(of: cursor, completed: stages) { count throws(StoreError) in
            try cursor.next(atMost: count)
        }
    }

    /// Returns the number of matches, after applying offset and limit.
    ///
    /// - Throws: The errors of the store; `.predicate`; `.cancelled`.
    func count(in snapshot: any StoreSnapshot) throws(StoreError) -> Int {
        try plan.checkCancellation()
        if !plan.followsReferences, let counted = try snapshot.count(plan) { return counted }
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
        let cursor = try start(plan, on: snapshot)
        if cursor.completed.isComplete { return cursor }
        guard plan.output == .ids else { return try finish(cursor, of: snapshot) }
        // The stages that the engine left over need the values of the rows.
        var withRows = plan
        withRows.output = .rows
        return try finish(try start(withRows, on: snapshot), of: snapshot).withoutRows()
    }

    /// Executes the plan in each store, and returns how the matches were found.
    func explain(in set: SnapshotSet) throws(StoreError) -> [FetchExplanation] {
        var explanations: [FetchExplanation] = []
        for member in set.members {
            let pipeline = set.members.count == 1 ? self : share
            // The searches were made once for all stores.
            let searches = explanations.isEmpty ? searches : FetchReport()
            explanations.append(try pipeline.explain(member, after: searches))
        }
        return explanations
    }

    private func explain(
        _ member: SnapshotSet.Member, after searches: FetchReport
    ) throws(StoreError) -> FetchExplanation {
        try plan.checkCancellation()
        var plan = plan
        plan.isExplained = true
        var engine = try start(plan, on: member.snapshot)
        if !engine.completed.isComplete, plan.output == .ids {
            plan.output = .rows
            engine = try start(plan, on: member.snapshot)
        }
        let cursor = engine
        var (returned, matches) = (0, 0)
        let counted = BatchCursor(completed: cursor.completed) { count throws(StoreError) in
            let batch = try cursor.next(atMost: count)
            returned += batch?.count ?? 0
            return batch
        }
        let finished =
            cursor.completed.isComplete ? counted : try finish(counted, of: member.snapshot)
        let count = max(1, member.snapshot.readPreferences.rowsPerBatch)
        while let batch = try finished.next(atMost: count) {
            matches += batch.count
            try plan.checkCancellation()
        }
        var report = cursor.report
        report?.rowsRead += searches.rowsRead
        report?.access += searches.access
        if plan.followsReferences { report?.reason = "a reference is followed from each row" }
        return FetchExplanation(
            member.attached, plan, cursor, report, returned: returned, matches: matches)
    }

    /// Performs the stages in memory that the engine did not perform.
    private func finish(
        _ cursor: any RowCursor, of snapshot: any StoreSnapshot
    ) throws(StoreError) -> any RowCursor {
        let done = cursor.completed
        // The cursors below may read all of it before they return any rows.
        var cursor = cursor.cancellable(by: plan)
        if let predicate = done.remainingPredicate {
            let following = predicate.conjuncts.filter(\.followsReferences)
            let rest = predicate.conjuncts.filter { !$0.followsReferences }
            do {
                if !rest.isEmpty {
                    cursor = try cursor.filtered(
                        by: .and(rest), snapshot: snapshot, layouts: layouts,
                        isCancellable: plan.isCancellable)
                }
                if !following.isEmpty {
                    cursor = try cursor.filtered(
                        by: .and(following), following: joined, layouts: layouts,
                        isCancellable: plan.isCancellable)
                }
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

extension RowCursor {
    /// Returns a cursor that passes on the batches until the task of the fetch is cancelled or its deadline
    /// passes.
    ///
    /// Used below cursors that read all matches of an engine before they return any. The fetch then ends
    /// between two of the engine's batches, even if the engine checks neither the task nor the deadline.
    func cancellable(by plan: FetchPlan) -> any RowCursor {
        BatchCursor(completed: self.completed) { count throws(StoreError) in
            try plan.checkCancellation()
            return try self.next(atMost: count)
        }
    }
}

extension BatchCursor {
    /// Returns the matches of several cursors, one cursor after the other.
    fileprivate static func concatenating(_ cursors: [any RowCursor]) -> BatchCursor {
        var sources = cursors[...]
        return BatchCursor { count throws(StoreError) in
            while let source = sources.first {
                if let batch = try source.next(atMost: count) { return batch }
                sources.removeFirst()
            }
            return nil
        }
    }

    /// Merges the matches of several sorted cursors into one sorted sequence, reading from the cursors as
    /// needed.
    fileprivate static func merging(
        _ sources: [(cursor: any RowCursor, order: RowOrder, store: StoreNumber)]
    ) -> BatchCursor {
        var merge = RowMerge(sources.map { ($0.order, $0.store) })
        return BatchCursor { count throws(StoreError) in
            let count = max(1, count)
            while merge.count < count {
                while let index = merge.nextToFill {
                    try merge.fill(index, with: sources[index].cursor.next(atMost: count))
                }
                let before = merge.count
                try merge.take(upTo: count)
                if merge.count == before { break }
            }
            return merge.takeAnswer()
        }
    }
}

extension Progress {
    /// Counts the objects found so far. A total that was estimated too low becomes unknown, because the progress
    /// would otherwise be finished before the fetch.
    fileprivate func note(found count: Int) {
        if totalUnitCount <= count { totalUnitCount = -1 }
        completedUnitCount = Int64(count)
    }
}
