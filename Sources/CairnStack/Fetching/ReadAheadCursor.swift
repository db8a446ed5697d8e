import CairnRows
import CairnStore
import CairnThreads
import Synchronization

/// Returns the matches of a cursor that another thread creates and reads in the meantime.
final class ReadAheadCursor: RowCursor {
    let completed = CompletedStages()
    private let work: ConcurrentWork<[RowBatch], StoreError>
    private let isWanted = Flag()
    private let isCancellable: Bool
    private var isRead = false
    /// The batches that have not been returned yet, in reverse order.
    private var batches: [RowBatch] = []

    /// Creates a cursor and starts to read.
    ///
    /// - Parameters:
    ///   - rowsPerBatch: The number of matches to read at a time.
    ///   - makeSource: Returns a cursor that performs every stage of the plan.
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

    /// Stops the other thread, at the latest after its current batch. When this returns, no other thread
    /// reads.
    func end() {
        isWanted.value.store(false, ordering: .relaxed)
        work.end()
    }
}

/// A flag that stops the reading thread, even if the plan's fetch cannot be cancelled by its task.
private final class Flag: Sendable {
    let value = Atomic(true)
}
