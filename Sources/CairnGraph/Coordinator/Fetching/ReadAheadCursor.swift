import CairnStore
import CairnThreads
import Synchronization

/// The matches of a cursor, all of which another thread reads meanwhile.
final class ReadAheadCursor: RowCursor {
    let completed = CompletedStages()
    private let work: ConcurrentWork<[RowBatch], StoreError>
    private let source: HandedOver
    private let isCancellable: Bool
    private var isRead = false
    /// What is left, the last batch first.
    private var batches: [RowBatch] = []

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - source: does every stage of the plan, and is used by nobody else from now on.
    ///   - rowsPerBatch: how many matches are read at a time.
    init(
        _ source: any RowCursor, _ plan: FetchPlan, rowsPerBatch: Int, on executor: TurnExecutor
    ) {
        let source = HandedOver(source)
        self.source = source
        isCancellable = plan.isCancellable
        work = ConcurrentWork(on: executor) { () throws(StoreError) in
            try source.readAll(rowsPerBatch: rowsPerBatch)
        }
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        if !isRead {
            batches = try work.result(cancellable: isCancellable).reversed()
            isRead = true
        }
        guard let batch = batches.popLast() else { return nil }
        guard batch.count > count else { return batch }
        batches.append(batch.slice(count..<batch.count))
        return batch.slice(0..<count)
    }

    /// Ends the reading, at the latest after the batch at hand: from then on no thread uses the source.
    func end() {
        source.isWanted.store(false, ordering: .relaxed)
        work.end()
    }
}

/// A cursor that one thread gives to another.
private final class HandedOver: @unchecked Sendable {
    // Unchecked: only the thread that does the work uses the cursor, and `ConcurrentWork` has one of them.
    private let cursor: any RowCursor
    /// Says to stop also where the plan's fetch does not end with its task.
    let isWanted = Atomic(true)

    init(_ cursor: any RowCursor) { self.cursor = cursor }

    func readAll(rowsPerBatch: Int) throws(StoreError) -> [RowBatch] {
        var batches: [RowBatch] = []
        while isWanted.load(ordering: .relaxed),
            let batch = try cursor.next(atMost: rowsPerBatch)
        {
            batches.append(batch)
        }
        return batches
    }
}
