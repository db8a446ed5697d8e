import Dispatch
import Foundation

/// Runs a closure on a thread with a stack of the given size.
public enum SmallStack {
    /// Returns what the closure returns. A closure that needs more stack ends the program.
    public static func run<Result: Sendable>(
        byteCount: Int, _ work: @escaping @Sendable () -> Result
    ) -> Result? {
        let box = Box<Result>()
        let thread = Thread { box.finish(work()) }
        thread.stackSize = byteCount
        thread.start()
        return box.wait()
    }

    private final class Box<Result: Sendable>: @unchecked Sendable {
        // Unchecked because `value` is written before the semaphore is signalled and read afterwards.
        private let isDone = DispatchSemaphore(value: 0)
        private var value: Result?

        func finish(_ value: Result) {
            self.value = value
            isDone.signal()
        }

        func wait() -> Result? {
            isDone.wait()
            return value
        }
    }
}
