import Dispatch

/// The right to save in a store: one holder at a time, in whatever thread.
///
/// Held by a transaction, which may be released by another thread than the one that began it; so
/// it is no mutex, which its thread must unlock.
final class WriteLock: Sendable {
    private let semaphore = DispatchSemaphore(value: 1)

    /// Takes the lock; false where others held it for all of that time.
    func take(waitingAtMost duration: Duration) -> Bool {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let wait = nanoseconds.partialValue.addingReportingOverflow(attoseconds / 1_000_000_000)
        let deadline: DispatchTime =
            nanoseconds.overflow || wait.overflow
            ? .distantFuture : .now() + .nanoseconds(Int(max(wait.partialValue, 0)))
        return semaphore.wait(timeout: deadline) == .success
    }

    /// Gives the lock to the next one.
    ///
    /// - Precondition: `take` answered true, and the lock was not given since.
    func give() { semaphore.signal() }
}
