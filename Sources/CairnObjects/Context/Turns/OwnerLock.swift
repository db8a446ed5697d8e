import CairnCLinux
import CairnStack
import CairnThreads
import DequeModule
import Dispatch
import Foundation
import Synchronization

/// A reentrant lock that knows which thread owns it, and that detects deadlocks. Waiting threads get the lock
/// in the order in which they began to wait.
///
/// Taking a free lock, or a lock that the thread already owns, costs a few atomic operations. Other locks are
/// examined only if the thread has to wait, to detect a deadlock.
@usableFromInline final class OwnerLock: Sendable {
    /// A waiting thread. When its semaphore is signalled, the thread owns the lock.
    private final class Waiter: Sendable {
        let thread: UInt
        let isOwner = DispatchSemaphore(value: 0)

        init(_ thread: UInt) { self.thread = thread }
    }

    /// The name of the object that the lock protects, for messages.
    let name: String
    /// The thread that owns the lock.
    @usableFromInline let owner = TurnOwner.allocate()
    /// How many times the owner has taken the lock. Accessed only by the owner.
    private let depth = Atomic<Int>(0)
    private let waiters = Mutex<Deque<Waiter>>([])
    /// The number of waiting threads, which can be read without the mutex.
    private let waiterCount = Atomic<Int>(0)

    init(name: String) {
        self.name = name
    }

    deinit { owner.deallocate() }

    /// Whether the running thread owns the lock.
    @inlinable var isOwned: Bool { owner.isRunningThread }

    /// Takes the lock. If another thread owns the lock, waits for it.
    ///
    /// - Throws: `.waitCycle` if the lock's owner waits for this thread, directly or through other
    ///   threads; `.waitCancelled` if the running task is cancelled before the lock is free.
    func lock() throws(GraphError) {
        let thread = TurnOwner.runningThread
        if owner.number.pointee.load(ordering: .relaxed) != thread, !takeIfFree(thread) {
            try wait(as: thread)
        }
        depth.store(depth.load(ordering: .relaxed) + 1, ordering: .relaxed)
    }

    /// Undoes one call of ``lock()``.
    func unlock() {
        let left = depth.load(ordering: .relaxed) - 1
        depth.store(left, ordering: .relaxed)
        guard left == 0 else { return }
        if waiterCount.load(ordering: .sequentiallyConsistent) == 0 {
            // Sequentially consistent: either this thread sees the waiter, or the waiter sees the free
            // lock.
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

    /// If the current owner is `expected` (0 for a free lock), passes the lock to the thread that has waited
    /// longest, or frees it if no thread waits. The owner changes in one atomic step, so no other thread can
    /// take the lock in between.
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
        // The owner may have released the lock before this thread was in the list, and so have seen no
        // waiter.
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
        // Makes the previous owner's writes visible to this thread. Thread sanitizers need this, too, because
        // they do not know Dispatch.
        _ = owner.number.pointee.load(ordering: .acquiring)
    }

    /// The number of waiting threads. Used by tests.
    var waitingThreadCount: Int { waiterCount.load(ordering: .sequentiallyConsistent) }

    /// Makes a thread the owner: the thread that serves the main queue, or that runs a background save.
    func bind(to thread: UInt) {
        owner.number.pointee.store(thread, ordering: .sequentiallyConsistent)
    }
}

/// The thread that is in a turn of a context. Each access to an object compares its number with the
/// number of the running thread.
///
/// The number is allocated separately, so that an object's kind can read it without going through the
/// lock.
@usableFromInline struct TurnOwner: Sendable {
    /// The thread's number, or 0 if no thread is in a turn. The memory lives as long as the lock that
    /// allocated it, and its content is atomic, so `nonisolated(unsafe)` is safe here.
    @usableFromInline nonisolated(unsafe) let number: UnsafeMutablePointer<Atomic<UInt>>

    /// Allocates memory for the number. Free it with ``deallocate()``.
    static func allocate() -> TurnOwner {
        let number = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: 1)
        number.initialize(to: Atomic(0))
        return TurnOwner(number: number)
    }

    func deallocate() {
        number.deinitialize(count: 1)
        number.deallocate()
    }

    /// The number of the running thread. Never 0.
    @inlinable @inline(__always) static var runningThread: UInt {
        #if os(Linux)
        UInt(cairn_thread_number())
        #else
        UInt(bitPattern: pthread_self())
        #endif
    }

    /// Whether the running thread is in the turn. Consists of loads only.
    @inlinable @inline(__always) var isRunningThread: Bool {
        #if os(Linux)
        // This is the same load, in C. The optimiser assumes that any operation on an `Atomic` may
        // release objects, and would retain and release an object around each read of a value.
        cairn_is_running_thread(UnsafeRawPointer(number))
        #else
        number.pointee.load(ordering: .relaxed) == Self.runningThread
        #endif
    }
}
