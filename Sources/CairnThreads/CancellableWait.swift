import Dispatch

/// A wait in slices. Between two slices the caller checks whether the wait has to end, because Swift
/// does not tell a thread that waits synchronously that its task was cancelled.
package struct CancellableWait {
    /// How long a wait may go on after its task was cancelled.
    package static let longestSlice: Duration = .milliseconds(10)

    private let deadline: ContinuousClock.Instant?
    private let isTask: Bool

    /// - Parameter deadline: when the wait ends in any case. A wait without a deadline, `nil`, ends only
    ///   when its task is cancelled.
    package init(until deadline: ContinuousClock.Instant?) {
        self.deadline = deadline
        isTask = withUnsafeCurrentTask { $0 != nil }
    }

    /// Why the wait has to end now, or `nil` if it goes on.
    package var ending: WaitOutcome? {
        if isTask, Task.isCancelled { return .cancelled }
        guard let deadline, ContinuousClock.now >= deadline else { return nil }
        return .timedOut
    }

    /// How long to wait before the next look at ``ending``. Without a limit, the value is `nil`.
    package var nextSlice: Duration? {
        let left = deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
        guard isTask else { return left }
        return min(left ?? Self.longestSlice, Self.longestSlice)
    }

    /// When to look at ``ending`` next, for Dispatch.
    package var nextTimeout: DispatchTime {
        nextSlice.map { .now() + $0.dispatchInterval } ?? .distantFuture
    }
}

extension Duration {
    /// The same time for Dispatch. A time that is too long for Dispatch becomes `.never`.
    package var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isStillTooLong) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong || isStillTooLong ? .never : .nanoseconds(Int(max(sum, 0)))
    }
}
