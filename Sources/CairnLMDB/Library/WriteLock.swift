import CairnStore
import Dispatch
import Foundation

/// The right to save in a file: one holder at a time, in this process and all others.
///
/// A `flock` on the store's file, which the system drops when the process dies. LMDB's own lock is
/// taken inside of it, and so never waited for.
final class WriteLock: Sendable {
    private let semaphore = DispatchSemaphore(value: 1)
    private let descriptor: Int32
    private let path: String

    /// - Throws: `.fileFailure`.
    init(path: String) throws(StoreError) {
        descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .fileFailure(FileFailure(operation: "open", path: path, code: errno))
        }
        self.path = path
    }

    deinit { Foundation.close(descriptor) }

    /// Takes the lock; false where others held it for all of that time.
    ///
    /// - Throws: `.fileFailure`.
    func take(waitingAtMost duration: Duration) throws(StoreError) -> Bool {
        let deadline = ContinuousClock.now + duration
        guard semaphore.wait(timeout: .now() + duration.dispatchInterval) == .success else {
            return false
        }
        var pause: UInt32 = 200
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code == EWOULDBLOCK || code == EINTR else {
                semaphore.signal()
                throw .fileFailure(FileFailure(operation: "flock", path: path, code: code))
            }
            guard ContinuousClock.now < deadline else {
                semaphore.signal()
                return false
            }
            usleep(pause)
            pause = min(pause * 2, 10_000)
        }
        return true
    }

    /// Gives the lock to the next one.
    ///
    /// - Precondition: `take` answered true, and the lock was not given since.
    func give() {
        flock(descriptor, LOCK_UN)
        semaphore.signal()
    }
}

extension Duration {
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return nanoseconds.overflow
            ? .never : .nanoseconds(Int(nanoseconds.partialValue + attoseconds / 1_000_000_000))
    }
}
