import Foundation

/// The pauses between the attempts of a call that may succeed a little later: each about three times
/// as long as the one before, and a bounded number of them.
package struct Backoff {
    /// How a pause ended.
    package enum Outcome: Sendable, Hashable {
        /// It is time for the next attempt.
        case passed
        /// There were as many attempts as there may be.
        case exhausted
        /// The calling task was cancelled.
        case cancelled
    }

    /// The pauses that are left, the last one first.
    private var pauses: [Duration]

    /// By default, four pauses that last less than half a second together.
    package init(
        pauses: [Duration] = [
            .milliseconds(10), .milliseconds(30), .milliseconds(100), .milliseconds(300),
        ]
    ) {
        self.pauses = pauses.reversed()
    }

    /// Waits before the next attempt. The thread lets its executor go on with other work meanwhile.
    package mutating func pause() -> Outcome {
        guard let pause = pauses.popLast() else { return .exhausted }
        return TurnExecutor.whileWaiting {
            let wait = CancellableWait(until: .now + pause)
            while true {
                switch wait.ending {
                case .cancelled: return .cancelled
                case .timedOut, .taken: return .passed
                case nil: usleep(UInt32((wait.nextSlice ?? .zero) / .microseconds(1)))
                }
            }
        }
    }
}
