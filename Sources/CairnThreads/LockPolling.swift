import Foundation

/// Waits for locks that do not say when they are free, such as one that another process holds.
public enum LockPolling {
    private static let shortestPause: Duration = .microseconds(100)
    private static let longestPause: Duration = .milliseconds(5)

    /// Tries to take a lock until that succeeds: at once, and then after pauses from 0.1 to 5 ms. The
    /// thread lets its executor go on with other work in the pauses.
    ///
    /// - Parameters:
    ///   - deadline: until when to try.
    ///   - attempt: returns whether it took the lock; does not wait.
    /// - Throws: what the attempt throws.
    public static func take<Failure: Error>(
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
