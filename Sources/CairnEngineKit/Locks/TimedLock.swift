import CairnFiles
import CairnStore
import CairnThreads

/// Waits for a file lock and translates the outcome into store errors.
package enum TimedLock {
    /// Waits until a lock is free, and returns it.
    ///
    /// - Parameters:
    ///   - timeout: the maximum time to wait.
    ///   - location: names the store in errors.
    ///   - make: takes the lock without waiting. Returns `nil` if the lock is held elsewhere.
    /// - Throws: `.busy` after the timeout; `.deadlineExceeded`; `.cancelled` if the running task
    ///   was cancelled; the errors that `make` throws.
    package static func wait<Lock>(
        _ timeout: Duration, for location: StoreLocation, _ make: () throws(StoreError) -> Lock?
    ) throws(StoreError) -> Lock {
        try wait(until: StoreDeadline.limiting(.now + timeout), timeout, for: location, make)
    }

    /// Waits until a lock is free, and returns it.
    ///
    /// - Parameters:
    ///   - deadline: the time at which to stop waiting.
    ///   - timeout: the duration that `.busy` reports.
    ///   - location: names the store in errors.
    ///   - make: takes the lock without waiting. Returns `nil` if the lock is held elsewhere.
    /// - Throws: the errors of ``wait(_:for:_:)``.
    package static func wait<Lock>(
        until deadline: ContinuousClock.Instant, _ timeout: Duration, for location: StoreLocation,
        _ make: () throws(StoreError) -> Lock?
    ) throws(StoreError) -> Lock {
        var lock: Lock?
        let outcome = try LockPolling.take(until: deadline) { () throws(StoreError) in
            lock = try make()
            return lock != nil
        }
        try outcome.requireTaken(location, waited: timeout)
        guard let lock else { throw .busy(location, waited: timeout) }
        return lock
    }
}
