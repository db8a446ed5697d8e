import CairnCLinux
import Foundation
import Synchronization

/// The thread that is in a turn of a context, as a number that every access to an object compares with
/// the running thread's.
///
/// The number has memory of its own, so that an object's kind reads it without the lock at hand.
@usableFromInline struct TurnOwner: Sendable {
    /// The thread's number, or 0 if no thread is in a turn. Unsafe: the memory lasts as long as the lock
    /// that allocated it, and its content is atomic.
    @usableFromInline nonisolated(unsafe) let number: UnsafeMutablePointer<Atomic<UInt>>

    /// Allocates the number, which ``deallocate()`` frees.
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

    /// Whether the running thread is the one in the turn. Consists of loads only.
    @inlinable @inline(__always) var isRunningThread: Bool {
        #if os(Linux)
        // The same load in C: the optimiser takes any operation on an `Atomic` for one that may release
        // objects, and would count a reference around each read of a value.
        cairn_is_running_thread(UnsafeRawPointer(number))
        #else
        number.pointee.load(ordering: .relaxed) == Self.runningThread
        #endif
    }
}
