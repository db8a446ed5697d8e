import CairnStore
import CairnThreads

/// The right to save in a file: one holder at a time, in this process and all others.
///
/// An exclusive lock on the store's file, which the system drops when the process dies. LMDB's own
/// lock is taken inside of it, and so never waited for.
final class WriteLock: Sendable {
    private let line = FairLock()
    private let fileLock: DataFileLock

    init(_ fileLock: DataFileLock) { self.fileLock = fileLock }

    /// Takes the lock, after the threads of this process that asked for it before.
    ///
    /// - Throws: `.deadlineExceeded`, `.fileFailure`.
    func take(waitingAtMost duration: Duration) throws(StoreError) -> WaitOutcome {
        try StoreDeadline.check()
        let deadline = StoreDeadline.limiting(.now + duration)
        let outcome = line.take(until: deadline)
        guard outcome == .taken else { return outcome }
        var isTaken = false
        defer { if !isTaken { line.give() } }
        let fileOutcome = try fileLock.take(.exclusive, until: deadline)
        isTaken = fileOutcome == .taken
        return fileOutcome
    }

    /// Gives the lock to the next one.
    ///
    /// - Precondition: `take` returned `.taken`, and the lock was not given since.
    func give() {
        fileLock.give()
        line.give()
    }
}
