import CairnCLinux
import CairnThreads
import DequeModule
import Synchronization

/// Which thread waits for which lock.
///
/// A background save is a lock, too: its owner is the thread that saves.
///
/// A thread enters before it waits, and looks for a way back to itself in the same step: of the
/// threads of a cycle the last one to enter sees all others, whose locks cannot change hands.
final class WaitGraph: Sendable {
    static let shared = WaitGraph()

    private struct State {
        var waits: [UInt: OwnerLock] = [:]
        /// The cycles of threads that are to stop waiting.
        var refusals: [UInt: [String]] = [:]
    }

    private let state = Mutex(State())

    /// - Throws: `.waitCycle`.
    func begin(_ thread: UInt, waitingFor lock: OwnerLock) throws(GraphError) {
        let cycle = state.withLock { state -> [String]? in
            if let cycle = Self.cycle(from: lock, to: thread, in: state.waits) { return cycle }
            state.waits[thread] = lock
            return nil
        }
        if let cycle { throw .waitCycle(cycle) }
    }

    /// Notes a wait whose caller cannot be told of a cycle. If there is one, the lock's owner is told
    /// instead: its own wait ends.
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

    /// Returns the cycle for which a thread is to stop waiting, or `nil` if it may go on.
    func refusal(of thread: UInt) -> [String]? { state.withLock { $0.refusals[thread] } }

    /// Whether a thread waits, for tests.
    func isWaiting(_ thread: UInt) -> Bool { state.withLock { $0.waits[thread] != nil } }

    /// Returns the names of the locks on the way from a lock to one that the thread owns, or `nil` if
    /// there is no way.
    private static func cycle(
        from lock: OwnerLock, to thread: UInt, in waits: [UInt: OwnerLock]
    ) -> [String]? {
        var names: [String] = []
        var lock = lock
        // At most one step per waiting thread; a lock that was just taken may still be listed.
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
