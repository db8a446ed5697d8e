import CairnStore
import CairnThreads

/// Excludes writers while this process reads a file whose lock file it may not write.
///
/// Writers learn of readers through LMDB's lock file, and do not reuse pages that a listed reader
/// still reads. A process that cannot add itself there instead holds a shared lock on the data file
/// while it holds a snapshot. Every save takes an exclusive one (``WriteLock``).
final class ReadLock: @unchecked Sendable {
    // Unchecked: `holderCount` is only accessed under `mutex`.
    private let mutex = Lock()
    private let fileLock: DataFileLock
    private var holderCount = 0

    init(_ fileLock: DataFileLock) { self.fileLock = fileLock }

    /// Takes the lock, which any number of snapshots share. Waits for a save that holds its
    /// exclusive lock.
    ///
    /// - Throws: `.fileFailure`.
    func take(waitingAtMost duration: Duration) throws(StoreError) -> WaitOutcome {
        try TurnExecutor.whileWaiting { () throws(StoreError) in
            try mutex.withLock { () throws(StoreError) in
                if holderCount == 0 {
                    let deadline = StoreDeadline.limiting(.now + duration)
                    let outcome = try fileLock.take(.shared, until: deadline)
                    guard outcome == .taken else { return outcome }
                }
                holderCount += 1
                return .taken
            }
        }
    }

    /// Releases the lock that one call of `take` took.
    func release() {
        mutex.withLock {
            holderCount -= 1
            if holderCount == 0 { fileLock.release() }
        }
    }
}
