import Dispatch
import Foundation

/// A wait that is divided into slices. Between two slices, the caller checks whether the wait has
/// to end. That is necessary because Swift does not notify a thread that waits synchronously when
/// its task is cancelled.
package struct CancellableWait {
    /// The maximum time that a wait continues after its task was cancelled.
    package static let longestSlice: Duration = .milliseconds(10)

    private let deadline: ContinuousClock.Instant?
    private let isTask: Bool

    /// - Parameter deadline: the time at which the wait ends in any case. If `nil`, the wait ends
    ///   only when its task is cancelled.
    package init(until deadline: ContinuousClock.Instant?) {
        self.deadline = deadline
        isTask = withUnsafeCurrentTask { $0 != nil }
    }

    /// The reason why the wait has to end now, or `nil` if it should continue.
    package var ending: WaitOutcome? {
        if isTask, Task.isCancelled { return .cancelled }
        guard let deadline, ContinuousClock.now >= deadline else { return nil }
        return .timedOut
    }

    /// The time to wait before checking ``ending`` again, or `nil` for no limit.
    package var nextSlice: Duration? {
        let left = deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
        guard isTask else { return left }
        return min(left ?? Self.longestSlice, Self.longestSlice)
    }

    /// Blocks the thread until ``ending`` has to be checked again, but no longer than a pause.
    package func sleep(atMost pause: Duration) {
        usleep(UInt32(min(pause, nextSlice ?? pause) / .microseconds(1)))
    }

    /// The time at which to check ``ending`` again, for Dispatch.
    package var nextTimeout: DispatchTime {
        nextSlice.map { .now() + $0.dispatchInterval } ?? .distantFuture
    }
}

extension Duration {
    /// The same duration for Dispatch. A duration that is too long for Dispatch becomes `.never`.
    package var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isStillTooLong) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong || isStillTooLong ? .never : .nanoseconds(Int(max(sum, 0)))
    }
}

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
                wait.sleep(atMost: pause)
                if try attempt() { return .taken }
                pause = min(pause * 2, longestPause)
            }
        }
    }
}
