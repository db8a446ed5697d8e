import CairnCSQLite
import CairnStore
import CairnThreads
import Foundation

/// How a connection waits while another connection, usually of another program, holds a lock of
/// SQLite's.
///
/// SQLite's own timeout cannot be used: it does not notice that the task was cancelled, and begins
/// again with each statement.
final class LockWait {
    /// The pauses before the first attempts. The last pause is repeated.
    private static let pauses: [Duration] = [1, 2, 5].map { .milliseconds($0) }

    /// How long a statement waits.
    let timeout: Duration
    /// The time at which all statements stop waiting, for an operation of several waits. If `nil`,
    /// each statement waits up to ``timeout``.
    var deadline: ContinuousClock.Instant?
    private var wait = CancellableWait(until: nil)
    /// Why the last wait ended without the lock, until an error reports it.
    private var outcome = WaitOutcome.timedOut

    init(timeout: Duration) { self.timeout = timeout }

    /// Registers the wait with its connection.
    ///
    /// - Precondition: The connection owns this object, and is closed before it releases it.
    func attach(to handle: OpaquePointer) {
        guard timeout > .zero else { return }
        sqlite3_busy_handler(
            handle,
            { context, attempt in
                guard let context else { return 0 }
                let wait = Unmanaged<LockWait>.fromOpaque(context).takeUnretainedValue()
                return wait.pause(beforeAttempt: Int(attempt)) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Makes statements of the connection fail instead of waiting.
    static func detach(from handle: OpaquePointer) { sqlite3_busy_handler(handle, nil, nil) }

    /// Waits before the next attempt to take a lock. Returns `false` if the wait is over.
    ///
    /// - Parameter attempt: The number of attempts for the same lock before this one.
    private func pause(beforeAttempt attempt: Int) -> Bool {
        if attempt == 0 {
            wait = CancellableWait(until: deadline ?? StoreDeadline.limiting(.now + timeout))
        }
        if let ending = wait.ending {
            outcome = ending
            return false
        }
        let pause = Self.pauses[min(attempt, Self.pauses.count - 1)]
        TurnExecutor.whileWaiting { wait.sleep(atMost: pause) }
        return true
    }

    /// Returns the error for a lock that was not free: `.cancelled`, `.deadlineExceeded` or `.busy`.
    func error(at location: StoreLocation) -> StoreError {
        defer { outcome = .timedOut }
        do {
            try outcome.requireTaken(location, waited: timeout)
        } catch {
            return error
        }
        return .busy(location, waited: timeout)
    }
}
