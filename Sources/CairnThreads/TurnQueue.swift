import Synchronization

/// The queue of tasks that wait for a turn of one context.
package final class TurnQueue: Sendable {
    private struct State {
        var isTaken = false
        var waiting = PriorityLine<Waiter>()
    }

    private let state = Mutex(State())

    package init() {}

    /// Takes the turn if no task has it or waits for it. Returns whether the turn was taken.
    package func takeIfFree() -> Bool {
        state.withLock { state in
            guard !state.isTaken else { return false }
            state.isTaken = true
            return true
        }
    }

    /// Adds the calling task to the queue, after other tasks of its priority.
    package func join() -> Waiter {
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

    /// Passes the turn to the next task in the queue that was not cancelled.
    ///
    /// - Precondition: The caller has the turn.
    package func leave() {
        while true {
            let next = state.withLock { state in
                let next = state.waiting.popFirst()
                if next == nil { state.isTaken = false }
                return next
            }
            guard let next, !next.grant() else { return }
        }
    }

    /// A task in the queue.
    package final class Waiter: Sendable {
        private typealias Sleeper = CheckedContinuation<Void, any Error>

        private enum State {
            /// The task does not have the turn yet, and is not suspended yet.
            case waiting
            /// The task is suspended until it gets the turn.
            case suspended(Sleeper)
            /// The task has the turn.
            case granted
            /// The task was cancelled before it got the turn, and will not get it.
            case cancelled
        }

        private let state = Mutex(State.waiting)

        /// Waits until the task has the turn.
        ///
        /// - Throws: `CancellationError` if the task was cancelled before.
        package func turn() async throws {
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

        /// Gives the turn to the task. Returns `false` if the task was already cancelled.
        func grant() -> Bool { end(as: .granted, .success(())) }

        /// Cancels the wait, unless the task already has the turn.
        package func cancel() { _ = end(as: .cancelled, .failure(CancellationError())) }

        /// Ends the wait. Returns `false` if it had already ended.
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
