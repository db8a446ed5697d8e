import CairnFiles
import CairnStore
import CairnThreads
import Foundation

/// A `flock` on a file, through a descriptor of its own. The system releases it when the process
/// ends.
final class DataFileLock: Sendable {
    enum Kind {
        /// Excludes every other lock.
        case exclusive
        /// Excludes exclusive locks.
        case shared
    }

    private let descriptor: Int32
    private let path: String

    /// - Parameter identity: The file that the path must lead to.
    /// - Throws: `.fileReplaced` if the path leads to another file; `.fileFailure`.
    init(
        path: String, of identity: FileIdentity, at location: StoreLocation
    ) throws(StoreError) {
        self.path = path
        descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            throw .fileFailure(FileFailure(operation: "open", path: path, code: errno))
        }
        guard FileIdentity(status) == identity else {
            throw .fileReplaced(location, path: path)
        }
    }

    deinit { if descriptor >= 0 { PosixFile.closeUnlocking(descriptor) } }

    /// Takes the lock, and waits for other holders to release it.
    ///
    /// - Throws: `.fileFailure`.
    func take(
        _ kind: Kind, until deadline: ContinuousClock.Instant
    ) throws(StoreError) -> WaitOutcome {
        try LockPolling.take(until: deadline) { () throws(StoreError) in
            do throws(FileFailure) {
                return try PosixFile.lock(descriptor, isShared: kind == .shared, path)
            } catch {
                throw .fileFailure(error)
            }
        }
    }

    /// Releases the lock.
    func release() { PosixFile.unlock(descriptor) }
}
