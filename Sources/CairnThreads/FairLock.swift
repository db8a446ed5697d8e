import DequeModule
import Dispatch
import Synchronization

/// A lock that threads get in the order in which they asked for it.
///
/// Another thread than the one that took the lock may give it back, so a transaction can hold it. While
/// a thread waits, its executor goes on with other work. The wait ends at a deadline, or when the
/// thread's task is cancelled.
public final class FairLock: Sendable {
    private struct State {
        var isHeld = false
        var waiters: Deque<Waiter> = []
    }

    private final class Waiter: Sendable {
        let isNext = DispatchSemaphore(value: 0)
    }

    private let state = Mutex(State())

    /// Makes a lock that is free.
    public init() {}

    /// How many threads wait, for tests.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Takes the lock, waiting for others to give it back.
    ///
    /// - Parameter deadline: until when to wait.
    public func take(until deadline: ContinuousClock.Instant) -> WaitOutcome {
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
                // Sees all that the last holder did, for checkers of threads too.
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
            // A waiter that is no longer in line has just been given the lock.
            return hasLeft ? ending : .taken
        }
    }

    /// Gives the lock to the thread that has waited longest.
    ///
    /// - Precondition: `take` returned `.taken`, and the lock was not given back since.
    public func give() {
        let next = state.withLock { state in
            let next = state.waiters.popFirst()
            if next == nil { state.isHeld = false }
            return next
        }
        next?.isNext.signal()
    }
}
