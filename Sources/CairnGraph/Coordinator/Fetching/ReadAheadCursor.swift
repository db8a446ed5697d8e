import CairnStore
import CairnThreads
import Synchronization

/// The matches of a cursor that another thread makes and reads meanwhile.
final class ReadAheadCursor: RowCursor {
    let completed = CompletedStages()
    private let work: ConcurrentWork<[RowBatch], StoreError>
    private let isWanted = Flag()
    private let isCancellable: Bool
    private var isRead = false
    /// What is left, the last batch first.
    private var batches: [RowBatch] = []

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - rowsPerBatch: how many matches are read at a time.
    ///   - makeSource: returns a cursor that does every stage of the plan.
    init(
        _ plan: FetchPlan, rowsPerBatch: Int, on executor: TurnExecutor,
        _ makeSource: @escaping @Sendable () throws(StoreError) -> any RowCursor
    ) {
        isCancellable = plan.isCancellable
        work = ConcurrentWork(on: executor) { [isWanted] () throws(StoreError) in
            let source = try makeSource()
            var batches: [RowBatch] = []
            while isWanted.value.load(ordering: .relaxed),
                let batch = try source.next(atMost: rowsPerBatch)
            {
                batches.append(batch)
                try plan.checkCancellation()
            }
            return batches
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

    /// Ends the reading, at the latest after the batch at hand: from then on no thread reads.
    func end() {
        isWanted.value.store(false, ordering: .relaxed)
        work.end()
    }
}

/// Tells the reading thread to stop, even if the plan's fetch does not end with its task.
private final class Flag: Sendable {
    let value = Atomic(true)
}
