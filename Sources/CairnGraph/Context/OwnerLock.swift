import CairnCLinux
import Foundation
import Synchronization

/// Number of the running thread; never 0.
@inlinable @inline(__always)
func currentThreadNumber() -> UInt {
    #if os(Linux)
    UInt(cairn_thread_number())
    #else
    UInt(bitPattern: pthread_self())
    #endif
}

/// Whether the running thread's number is what is there: pure loads, for the accessors of objects.
@inlinable @inline(__always)
func isRunningThread(_ number: UnsafeMutablePointer<Atomic<UInt>>) -> Bool {
    #if os(Linux)
    // The same load in C: the optimiser takes any operation on an `Atomic` for one that may release
    // objects, and would count a reference around each read of a value.
    cairn_is_running_thread(UnsafeRawPointer(number))
    #else
    number.pointee.load(ordering: .relaxed) == currentThreadNumber()
    #endif
}

/// A reentrant lock that knows which thread owns it, and that finds out when waiting would never
/// end.
///
/// Free and reentrant locking cost a few atomic operations; only waiting looks at other locks.
@usableFromInline final class OwnerLock: Sendable {
    /// What the lock protects, for messages.
    let name: String
    /// The thread that owns the lock; 0: none. Has a place of its own, which can be looked at without
    /// the lock at hand. Unsafe: the place is there as long as the lock, and what is in it is atomic.
    @usableFromInline nonisolated(unsafe) let owner: UnsafeMutablePointer<Atomic<UInt>>
    /// How often the owner has it; touched by the owner only.
    private let depth = Atomic<Int>(0)
    private let waiters = Atomic<Int>(0)
    private let released = NSCondition()

    init(name: String) {
        self.name = name
        owner = .allocate(capacity: 1)
        owner.initialize(to: Atomic(0))
    }

    deinit {
        owner.deinitialize(count: 1)
        owner.deallocate()
    }

    /// Whether the running thread owns the lock.
    @inlinable var isOwned: Bool { isRunningThread(owner) }

    /// Takes the lock, waiting for other threads to leave it.
    ///
    /// - Throws: `.waitCycle` where its owner waits, perhaps through others, for this thread.
    func lock() throws(GraphError) {
        let thread = currentThreadNumber()
        if owner.pointee.load(ordering: .relaxed) != thread, !takeIfFree(thread) {
            try wait(as: thread)
        }
        depth.store(depth.load(ordering: .relaxed) + 1, ordering: .relaxed)
    }

    /// Gives back what one `lock` took.
    func unlock() {
        let left = depth.load(ordering: .relaxed) - 1
        depth.store(left, ordering: .relaxed)
        guard left == 0 else { return }
        // Sequentially consistent: either we see the waiter here, or it sees the free lock.
        owner.pointee.store(0, ordering: .sequentiallyConsistent)
        guard waiters.load(ordering: .sequentiallyConsistent) > 0 else { return }
        released.lock()
        released.signal()
        released.unlock()
    }

    private func takeIfFree(_ thread: UInt) -> Bool {
        owner.pointee.compareExchange(
            expected: 0, desired: thread, ordering: .sequentiallyConsistent
        ).exchanged
    }

    private func wait(as thread: UInt) throws(GraphError) {
        try WaitGraph.shared.begin(thread, waitingFor: self)
        defer { WaitGraph.shared.end(thread) }
        waiters.add(1, ordering: .sequentiallyConsistent)
        released.lock()
        while !takeIfFree(thread) { released.wait() }
        released.unlock()
        waiters.subtract(1, ordering: .sequentiallyConsistent)
    }

    /// Makes the lock the property of a thread for good: the main queue's.
    func bind(to thread: UInt) {
        owner.pointee.store(thread, ordering: .sequentiallyConsistent)
    }
}

/// Which thread waits for which lock.
///
/// A thread enters before it waits, and looks for a way back to itself in the same step: of the
/// threads of a cycle the last one to enter sees all others, whose locks cannot change hands.
final class WaitGraph: Sendable {
    static let shared = WaitGraph()

    private let waits = Mutex<[UInt: OwnerLock]>([:])

    /// - Throws: `.waitCycle`.
    func begin(_ thread: UInt, waitingFor lock: OwnerLock) throws(GraphError) {
        let cycle = waits.withLock { waits -> [String]? in
            if let cycle = Self.cycle(from: lock, to: thread, in: waits) { return cycle }
            waits[thread] = lock
            return nil
        }
        if let cycle { throw .waitCycle(cycle) }
    }

    func end(_ thread: UInt) {
        _ = waits.withLock { $0.removeValue(forKey: thread) }
    }

    /// The names of the locks on the way from a lock to one that the thread owns; nil: no way.
    private static func cycle(
        from lock: OwnerLock, to thread: UInt, in waits: [UInt: OwnerLock]
    ) -> [String]? {
        var names: [String] = []
        var lock = lock
        // At most one step per waiting thread; a lock that was just taken may still be listed.
        for _ in 0...waits.count {
            names.append(lock.name)
            let owner = lock.owner.pointee.load(ordering: .sequentiallyConsistent)
            if owner == thread { return names }
            guard owner != 0, let next = waits[owner] else { return nil }
            lock = next
        }
        return nil
    }
}
