import CairnStore
import Dispatch

/// The right to save in a file: one holder at a time, in this process and all others.
///
/// An exclusive lock on the store's file, which the system drops when the process dies. LMDB's own
/// lock is taken inside of it, and so never waited for.
final class WriteLock: Sendable {
    private let semaphore = DispatchSemaphore(value: 1)
    private let fileLock: FileLock

    init(_ fileLock: FileLock) { self.fileLock = fileLock }

    /// Takes the lock. Returns `false` if others held it for all of that time.
    ///
    /// - Throws: `.fileFailure`.
    func take(waitingAtMost duration: Duration) throws(StoreError) -> Bool {
        let deadline = ContinuousClock.now + duration
        guard semaphore.wait(timeout: .now() + duration.dispatchInterval) == .success else {
            return false
        }
        var isTaken = false
        defer { if !isTaken { semaphore.signal() } }
        isTaken = try fileLock.take(.exclusive, until: deadline)
        return isTaken
    }

    /// Gives the lock to the next one.
    ///
    /// - Precondition: `take` returned true, and the lock was not given since.
    func give() {
        fileLock.give()
        semaphore.signal()
    }
}

extension Duration {
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return nanoseconds.overflow
            ? .never : .nanoseconds(Int(nanoseconds.partialValue + attoseconds / 1_000_000_000))
    }
}
