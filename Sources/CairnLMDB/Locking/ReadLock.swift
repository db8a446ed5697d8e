import CairnStore
import CairnThreads

/// Keeps writers away while this process reads a file whose lock file it may not write.
///
/// Writers learn of readers by LMDB's lock file, and use no page again that one of those still
/// reads. A reader who cannot enter itself there holds a shared lock on the data file instead, for
/// as long as it holds a snapshot; every save takes an exclusive one (``WriteLock``).
final class ReadLock: @unchecked Sendable {
    // Unchecked: `holderCount` is accessed under `mutex` only.
    private let mutex = Lock()
    private let fileLock: DataFileLock
    private var holderCount = 0

    init(_ fileLock: DataFileLock) { self.fileLock = fileLock }

    /// Takes the lock, which any number of snapshots share, waiting for a save that holds its own.
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

    /// Gives back what one `take` took.
    func give() {
        mutex.withLock {
            holderCount -= 1
            if holderCount == 0 { fileLock.give() }
        }
    }
}
