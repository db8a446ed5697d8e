import CairnThreads
import DequeModule
import Dispatch
import Foundation
import Synchronization

/// A reentrant lock that knows which thread owns it, and that finds out when waiting would never
/// end. Threads that wait get it in the order in which they came.
///
/// Free and reentrant locking cost a few atomic operations; only waiting looks at other locks.
@usableFromInline final class OwnerLock: Sendable {
    /// A thread that waits; it owns the lock when it is signalled.
    private final class Waiter: Sendable {
        let thread: UInt
        let isOwner = DispatchSemaphore(value: 0)

        init(_ thread: UInt) { self.thread = thread }
    }

    /// What the lock protects, for messages.
    let name: String
    /// The thread that owns the lock.
    @usableFromInline let owner = TurnOwner.allocate()
    /// How often the owner has it; touched by the owner only.
    private let depth = Atomic<Int>(0)
    private let waiters = Mutex<Deque<Waiter>>([])
    /// How many threads wait, to be looked at without the mutex.
    private let waiterCount = Atomic<Int>(0)

    init(name: String) {
        self.name = name
    }

    deinit { owner.deallocate() }

    /// Whether the running thread owns the lock.
    @inlinable var isOwned: Bool { owner.isRunningThread }

    /// Takes the lock, waiting for other threads to leave it.
    ///
    /// - Throws: `.waitCycle` if its owner waits, perhaps through others, for this thread;
    ///   `.waitCancelled` if the running task is cancelled before the lock is free.
    func lock() throws(GraphError) {
        let thread = TurnOwner.runningThread
        if owner.number.pointee.load(ordering: .relaxed) != thread, !takeIfFree(thread) {
            try wait(as: thread)
        }
        depth.store(depth.load(ordering: .relaxed) + 1, ordering: .relaxed)
    }

    /// Gives back what one `lock` took.
    func unlock() {
        let left = depth.load(ordering: .relaxed) - 1
        depth.store(left, ordering: .relaxed)
        guard left == 0 else { return }
        if waiterCount.load(ordering: .sequentiallyConsistent) == 0 {
            // Sequentially consistent: either we see the waiter here, or it sees the free lock.
            owner.number.pointee.store(0, ordering: .sequentiallyConsistent)
            guard waiterCount.load(ordering: .sequentiallyConsistent) > 0 else { return }
            handOver(from: 0)
        } else {
            handOver(from: TurnOwner.runningThread)
        }
    }

    private func takeIfFree(_ thread: UInt) -> Bool {
        owner.number.pointee.compareExchange(
            expected: 0, desired: thread, ordering: .sequentiallyConsistent
        ).exchanged
    }

    // MARK: Waiting

    /// Makes the thread that has waited longest the owner, if the current owner is `expected`, which is
    /// 0 if the lock is free. The lock is never free in between, so no other thread can take it first.
    private func handOver(from expected: UInt) {
        let next = waiters.withLock { waiters -> Waiter? in
            let next = waiters.first
            let isHandedOver = owner.number.pointee.compareExchange(
                expected: expected, desired: next?.thread ?? 0, ordering: .sequentiallyConsistent
            ).exchanged
            guard isHandedOver, next != nil else { return nil }
            removeFirst(of: &waiters)
            return next
        }
        next?.isOwner.signal()
    }

    private func removeFirst(of waiters: inout Deque<Waiter>) {
        waiters.removeFirst()
        waiterCount.subtract(1, ordering: .sequentiallyConsistent)
    }

    private func wait(as thread: UInt) throws(GraphError) {
        try WaitGraph.shared.begin(thread, waitingFor: self)
        defer { WaitGraph.shared.end(thread) }
        let waiter = Waiter(thread)
        let isFree = waiters.withLock { waiters in
            waiterCount.add(1, ordering: .sequentiallyConsistent)
            if waiters.isEmpty, takeIfFree(thread) {
                waiterCount.subtract(1, ordering: .sequentiallyConsistent)
                return true
            }
            waiters.append(waiter)
            return false
        }
        if isFree { return }
        // A thread that left the lock before we were in the line may have seen nobody.
        handOver(from: 0)
        try TurnExecutor.whileWaiting { () throws(GraphError) in try sleep(as: waiter) }
    }

    private func sleep(as waiter: Waiter) throws(GraphError) {
        let wait = CancellableWait(until: nil)
        while waiter.isOwner.wait(timeout: wait.nextTimeout) == .timedOut {
            let cycle = WaitGraph.shared.refusal(of: waiter.thread)
            guard wait.ending == .cancelled || cycle != nil else { continue }
            let hasLeft = waiters.withLock { waiters in
                guard let index = waiters.firstIndex(where: { $0 === waiter }) else { return false }
                waiters.remove(at: index)
                waiterCount.subtract(1, ordering: .sequentiallyConsistent)
                return true
            }
            guard hasLeft else { continue }
            throw cycle.map { .waitCycle($0) } ?? .waitCancelled(context: name)
        }
        // Sees all that the last owner did, for checkers of threads too, which do not know Dispatch.
        _ = owner.number.pointee.load(ordering: .acquiring)
    }

    /// How many threads wait, for tests.
    var waitingThreadCount: Int { waiterCount.load(ordering: .sequentiallyConsistent) }

    /// Makes a thread the owner: the one that serves the main queue, or that runs a background save.
    func bind(to thread: UInt) {
        owner.number.pointee.store(thread, ordering: .sequentiallyConsistent)
    }
}
