import CairnCLinux
import Foundation
import Synchronization

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
