import DequeModule
import Dispatch
import Synchronization

/// A queue of threads, each with work, in which one thread at a time may do the work of others.
///
/// The thread that finds the queue free leads it. It takes the work of those that have come after it,
/// in order, and gives them answers. When it leaves, the thread that has waited longest leads. A
/// thread whose work was taken waits for its answer; until then, its wait ends at a deadline, or when
/// its task is cancelled.
package final class LeaderQueue<Work: Sendable, Answer: Sendable>: Sendable {
    /// How a thread's wait ended.
    package enum Turn: Sendable {
        /// The thread leads, and must call ``leave()``.
        case leads(hasWaited: Bool)
        /// A leader has done the thread's work.
        case answered(Answer)
        /// The thread left the queue, and nobody has taken its work.
        case ended(WaitOutcome)
    }

    /// A thread that waits in the queue.
    package final class Waiter: Sendable {
        package let work: Work
        private let isNext = DispatchSemaphore(value: 0)
        private let turn = Mutex<Turn?>(nil)

        fileprivate init(_ work: Work) { self.work = work }

        /// Wakes the thread with the answer to its work, which the caller has taken.
        package func answer(_ answer: Answer) { wake(.answered(answer)) }

        fileprivate func wake(_ turn: Turn) {
            self.turn.withLock { $0 = turn }
            isNext.signal()
        }

        /// Returns the turn, or `nil` if the time has passed before there was one.
        fileprivate func turn(before time: DispatchTime) -> Turn? {
            guard isNext.wait(timeout: time) == .success else { return nil }
            return turn.withLock { $0 }
        }
    }

    private struct State {
        var isLed = false
        var waiting: Deque<Waiter> = []
    }

    private let state = Mutex(State())

    /// Creates a queue that no thread leads.
    package init() {}

    /// The number of threads whose work nobody has taken.
    package var waiterCount: Int { state.withLock { $0.waiting.count } }

    /// Enters the queue, and waits until the thread leads or its work is done. Does not wait if no
    /// thread leads.
    ///
    /// - Parameters:
    ///   - work: what a leader may do for the thread.
    ///   - deadline: the time at which the thread leaves, unless its work was taken.
    package func enter(_ work: Work, until deadline: ContinuousClock.Instant) -> Turn {
        let waiter = state.withLock { state -> Waiter? in
            guard state.isLed else {
                state.isLed = true
                return nil
            }
            let waiter = Waiter(work)
            state.waiting.append(waiter)
            return waiter
        }
        guard let waiter else { return .leads(hasWaited: false) }
        return TurnExecutor.whileWaiting(toSave: true) { wait(as: waiter, until: deadline) }
    }

    private func wait(as waiter: Waiter, until deadline: ContinuousClock.Instant) -> Turn {
        let wait = CancellableWait(until: deadline)
        var isTaken = false
        while true {
            if let turn = waiter.turn(before: isTaken ? .distantFuture : wait.nextTimeout) {
                return turn
            }
            guard let ending = wait.ending else { continue }
            let hasLeft = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0 === waiter }) else {
                    return false
                }
                state.waiting.remove(at: index)
                return true
            }
            if hasLeft { return .ended(ending) }
            // A leader has the work, or the thread is about to lead.
            isTaken = true
        }
    }

    /// Leads the queue, and returns `true`, unless another thread leads it. Does not wait. The caller then must call
    /// ``leave()``.
    package func tryToLead() -> Bool {
        state.withLock { state in
            defer { state.isLed = true }
            return !state.isLed
        }
    }

    /// Takes the work of the threads that have waited longest, as long as the predicate returns
    /// `true`. The caller must answer each of them.
    ///
    /// - Precondition: The caller leads.
    package func take(while predicate: (Work) -> Bool) -> [Waiter] {
        state.withLock { state in
            var taken: [Waiter] = []
            while let next = state.waiting.first, predicate(next.work) {
                taken.append(next)
                state.waiting.removeFirst()
            }
            return taken
        }
    }

    /// Lets the thread lead that has waited longest.
    ///
    /// - Precondition: The caller leads.
    package func leave() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.isLed = false }
            return next
        }
        next?.wake(.leads(hasWaited: true))
    }
}
