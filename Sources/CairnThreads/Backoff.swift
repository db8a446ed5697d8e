import Foundation

/// The pauses between the attempts of a call that may succeed a little later. Each pause is about
/// three times as long as the previous one, and the number of pauses is limited.
package struct Backoff {
    /// How a pause ended.
    package enum Outcome: Sendable, Hashable {
        /// The pause is over, and the next attempt can be made.
        case passed
        /// No pause is left, so there should be no further attempt.
        case exhausted
        /// The calling task was cancelled.
        case cancelled
    }

    /// The remaining pauses, the next one last.
    private var pauses: [Duration]

    /// Creates a backoff. By default there are four pauses, which together take less than half a
    /// second.
    package init(
        pauses: [Duration] = [
            .milliseconds(10), .milliseconds(30), .milliseconds(100), .milliseconds(300),
        ]
    ) {
        self.pauses = pauses.reversed()
    }

    /// Waits before the next attempt. In the meantime, the thread's executor can do other work.
    package mutating func pause() -> Outcome {
        guard let pause = pauses.popLast() else { return .exhausted }
        return TurnExecutor.whileWaiting {
            let wait = CancellableWait(until: .now + pause)
            while true {
                switch wait.ending {
                case .cancelled: return .cancelled
                case .timedOut, .taken: return .passed
                case nil: wait.sleep(atMost: pause)
                }
            }
        }
    }
}
