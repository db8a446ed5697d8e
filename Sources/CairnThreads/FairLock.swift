import DequeModule
import Dispatch
import Synchronization

/// A lock that threads receive in the order in which they requested it.
///
/// The lock can be released by another thread than the one that took it, so that a transaction can
/// hold it. While a thread waits, its executor can do other work. The wait ends at a deadline, or
/// when the thread's task is cancelled.
package final class FairLock: Sendable {
    private struct State {
        var isHeld = false
        var waiters: Deque<Waiter> = []
    }

    private final class Waiter: Sendable {
        let isNext = DispatchSemaphore(value: 0)
    }

    private let state = Mutex(State())

    /// Creates a lock that is not held.
    package init() {}

    /// The number of waiting threads, for tests.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Takes the lock. Waits while it is held elsewhere.
    ///
    /// - Parameter deadline: the time at which to stop waiting.
    package func take(until deadline: ContinuousClock.Instant) -> WaitOutcome {
        let waiter = state.withLock { state -> Waiter? in
            guard state.isHeld else {
                state.isHeld = true
                return nil
            }
            let waiter = Waiter()
            state.waiters.append(waiter)
            return waiter
        }
        guard let waiter else { return .taken }
        return TurnExecutor.whileWaiting { wait(as: waiter, until: deadline) }
    }

    private func wait(as waiter: Waiter, until deadline: ContinuousClock.Instant) -> WaitOutcome {
        let wait = CancellableWait(until: deadline)
        while true {
            if waiter.isNext.wait(timeout: wait.nextTimeout) == .success {
                // Locking the mutex makes the previous holder's writes visible, also to thread
                // sanitizers.
                return state.withLock { _ in .taken }
            }
            guard let ending = wait.ending else { continue }
            let hasLeft = state.withLock { state in
                guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else {
                    return false
                }
                state.waiters.remove(at: index)
                return true
            }
            // A waiter that is no longer in the queue has just received the lock.
            return hasLeft ? ending : .taken
        }
    }

    /// Releases the lock. The thread that has waited longest receives it.
    ///
    /// - Precondition: `take` returned `.taken`, and the lock has not been released since.
    package func release() {
        let next = state.withLock { state in
            let next = state.waiters.popFirst()
            if next == nil { state.isHeld = false }
            return next
        }
        next?.isNext.signal()
    }
}

/// The outcome of waiting for a lock.
package enum WaitOutcome: Sendable, Hashable {
    /// The caller holds the lock.
    case taken
    /// The lock was held elsewhere until the deadline.
    case timedOut
    /// The calling task was cancelled during the wait.
    case cancelled
}
