import CairnThreads
import Synchronization

/// The tasks that wait for a turn of one context, and which of them has it.
final class TurnLine: Sendable {
    private struct State {
        var isTaken = false
        var waiting = PriorityLine<Waiter>()
    }

    private let state = Mutex(State())

    /// Takes the turn if nobody has it and nobody waits for it.
    func takeIfFree() -> Bool {
        state.withLock { state in
            guard !state.isTaken else { return false }
            state.isTaken = true
            return true
        }
    }

    /// Puts the calling task into the line, after those of its priority.
    func join() -> Waiter {
        let waiter = Waiter()
        let isFirst = state.withLock { state in
            guard state.isTaken else {
                state.isTaken = true
                return true
            }
            state.waiting.append(waiter, priority: Int(Task.currentPriority.rawValue))
            return false
        }
        if isFirst { _ = waiter.grant() }
        return waiter
    }

    /// Gives the turn to the next task in the line that still wants it.
    ///
    /// - Precondition: the caller has the turn.
    func leave() {
        while true {
            let next = state.withLock { state in
                let next = state.waiting.popFirst()
                if next == nil { state.isTaken = false }
                return next
            }
            guard let next, !next.grant() else { return }
        }
    }

    /// One task that waits in the line.
    final class Waiter: Sendable {
        private typealias Sleeper = CheckedContinuation<Void, any Error>

        private enum State {
            /// The turn has not come, and the task is on its way to sleep.
            case waiting
            /// The task sleeps until its turn comes.
            case suspended(Sleeper)
            /// The turn is the task's.
            case granted
            /// The task was cancelled before: it gets no turn.
            case cancelled
        }

        private let state = Mutex(State.waiting)

        /// Returns when the turn is the task's.
        ///
        /// - Throws: `CancellationError` if the task was cancelled before.
        func turn() async throws {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    switch state {
                    case .granted: return .success(())
                    case .cancelled: return .failure(CancellationError())
                    case .waiting, .suspended:
                        state = .suspended(continuation)
                        return nil
                    }
                }
                if let result { continuation.resume(with: result) }
            }
        }

        /// Gives the turn to the task. Returns `false` if the task was cancelled before.
        func grant() -> Bool { end(as: .granted, .success(())) }

        /// Takes the task out of the line, unless it has the turn.
        func cancel() { _ = end(as: .cancelled, .failure(CancellationError())) }

        /// Ends the wait. Returns `false` if it had ended before.
        private func end(as end: State, _ result: Result<Void, any Error>) -> Bool {
            let (isFirst, sleeper) = state.withLock { state in
                switch state {
                case .granted, .cancelled: return (false, nil as Sleeper?)
                case .waiting:
                    state = end
                    return (true, nil)
                case .suspended(let sleeper):
                    state = end
                    return (true, sleeper)
                }
            }
            sleeper?.resume(with: result)
            return isFirst
        }
    }
}
