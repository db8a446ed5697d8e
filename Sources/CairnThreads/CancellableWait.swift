import Dispatch

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
