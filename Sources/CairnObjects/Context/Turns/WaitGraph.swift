import CairnCLinux
import CairnStack
import CairnThreads
import DequeModule
import Synchronization

/// Records which thread waits for which lock, to detect deadlocks.
///
/// A background save counts as a lock whose owner is the saving thread.
///
/// Before a thread waits, it enters the graph and searches for a cycle, in one step. The last thread of
/// a cycle to enter sees all the others, whose locks cannot change owners.
final class WaitGraph: Sendable {
    static let shared = WaitGraph()

    private struct State {
        var waits: [UInt: OwnerLock] = [:]
        /// The cycles because of which threads must stop waiting, by thread.
        var refusals: [UInt: [String]] = [:]
    }

    private let state = Mutex(State())

    /// Records that a thread waits for a lock.
    ///
    /// - Throws: `.waitCycle` if the wait would complete a cycle.
    func begin(_ thread: UInt, waitingFor lock: OwnerLock) throws(GraphError) {
        let cycle = state.withLock { state -> [String]? in
            if let cycle = Self.cycle(from: lock, to: thread, in: state.waits) { return cycle }
            state.waits[thread] = lock
            return nil
        }
        if let cycle { throw .waitCycle(cycle) }
    }

    /// Records a wait whose caller cannot throw an error. If the wait completes a cycle, the wait of the
    /// lock's owner ends with an error instead.
    func beginWithoutRefusal(_ thread: UInt, waitingFor lock: OwnerLock) {
        state.withLock { state in
            let owner = lock.owner.number.pointee.load(ordering: .sequentiallyConsistent)
            if state.waits[owner] != nil {
                state.refusals[owner] = Self.cycle(from: lock, to: thread, in: state.waits)
            }
            state.waits[thread] = lock
        }
    }

    func end(_ thread: UInt) {
        state.withLock { state in
            state.waits[thread] = nil
            state.refusals[thread] = nil
        }
    }

    /// Returns the cycle because of which a thread must stop waiting, or `nil` if it may continue to
    /// wait.
    func refusal(of thread: UInt) -> [String]? { state.withLock { $0.refusals[thread] } }

    /// Whether a thread waits. Used by tests.
    func isWaiting(_ thread: UInt) -> Bool { state.withLock { $0.waits[thread] != nil } }

    /// Returns the names of the locks on the path from a lock to a lock that the thread owns, or `nil`
    /// if there is no such path.
    private static func cycle(
        from lock: OwnerLock, to thread: UInt, in waits: [UInt: OwnerLock]
    ) -> [String]? {
        var names: [String] = []
        var lock = lock
        // Follow at most one step per waiting thread: a lock that was just taken may still be recorded
        // as awaited.
        for _ in 0...waits.count {
            names.append(lock.name)
            let owner = lock.owner.number.pointee.load(ordering: .sequentiallyConsistent)
            if owner == thread { return names }
            guard owner != 0, let next = waits[owner] else { return nil }
            lock = next
        }
        return nil
    }
}
