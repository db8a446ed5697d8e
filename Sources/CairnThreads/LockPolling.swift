import Foundation

/// Waits for locks that do not notify waiters when they are released, such as a lock held by
/// another process.
package enum LockPolling {
    private static let shortestPause: Duration = .microseconds(100)
    private static let longestPause: Duration = .milliseconds(5)

    /// Tries to take a lock until that succeeds. The first attempt is made immediately, and the
    /// next ones after pauses from 0.1 to 5 ms. During the pauses, the thread's executor can do
    /// other work.
    ///
    /// - Parameters:
    ///   - deadline: the time at which to give up.
    ///   - attempt: returns whether it took the lock. It must not wait.
    /// - Throws: the error that `attempt` throws.
    package static func take<Failure: Error>(
        until deadline: ContinuousClock.Instant, _ attempt: () throws(Failure) -> Bool
    ) throws(Failure) -> WaitOutcome {
        if try attempt() { return .taken }
        return try TurnExecutor.whileWaiting { () throws(Failure) in
            let wait = CancellableWait(until: deadline)
            var pause = shortestPause
            while true {
                if let ending = wait.ending { return ending }
                usleep(UInt32(min(pause, wait.nextSlice ?? pause) / .microseconds(1)))
                if try attempt() { return .taken }
                pause = min(pause * 2, longestPause)
            }
        }
    }
}
