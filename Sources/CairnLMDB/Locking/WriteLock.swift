import CairnStore
import CairnThreads

/// The right to save to a file. It has only one holder at a time among all processes.
///
/// It is an exclusive lock on the store's file, which the system releases when the process dies.
/// LMDB's own lock is taken after this one, so no save ever waits for LMDB's lock.
final class WriteLock: Sendable {
    private let line = FairLock()
    private let fileLock: DataFileLock

    init(_ fileLock: DataFileLock) { self.fileLock = fileLock }

    /// Takes the lock after all threads in this process that requested it earlier.
    ///
    /// - Throws: `.deadlineExceeded` or `.fileFailure`.
    func take(waitingAtMost duration: Duration) throws(StoreError) -> WaitOutcome {
        try StoreDeadline.check()
        let deadline = StoreDeadline.limiting(.now + duration)
        let outcome = line.take(until: deadline)
        guard outcome == .taken else { return outcome }
        var isTaken = false
        defer { if !isTaken { line.release() } }
        let fileOutcome = try fileLock.take(.exclusive, until: deadline)
        isTaken = fileOutcome == .taken
        return fileOutcome
    }

    /// Releases the lock to the next thread.
    ///
    /// - Precondition: `take` returned `.taken`, and the lock has not been released since.
    func release() {
        fileLock.release()
        line.release()
    }
}
