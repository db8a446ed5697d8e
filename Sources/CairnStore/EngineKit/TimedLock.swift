import CairnFiles
import CairnThreads

/// Waits for a lock on files, and says in a store's terms how that ended.
package enum TimedLock {
    /// Returns a lock as soon as it is free.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait.
    ///   - location: names the store in errors.
    ///   - make: takes the lock. Returns `nil` if another has it. Does not wait.
    /// - Throws: `.busy` after the timeout; `.deadlineExceeded`; `.cancelled` if the running task was
    ///   cancelled; what `make` throws.
    package static func wait<Lock>(
        _ timeout: Duration, for location: StoreLocation, _ make: () throws(StoreError) -> Lock?
    ) throws(StoreError) -> Lock {
        try wait(until: StoreDeadline.limiting(.now + timeout), timeout, for: location, make)
    }

    /// Returns a lock as soon as it is free.
    ///
    /// - Parameters:
    ///   - deadline: until when to wait.
    ///   - timeout: the time that `.busy` names.
    /// - Throws: as ``wait(_:for:_:)``.
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
