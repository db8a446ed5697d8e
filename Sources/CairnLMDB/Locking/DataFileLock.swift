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

/// The right to save to a file. It has only one holder at a time among all processes.
///
/// It is an exclusive lock on the store's file, which the system releases when the process dies.
/// LMDB's own lock is taken after this one, so no save ever waits for LMDB's lock.
final class WriteLock: Sendable {
    private let line = FairLock()
    private let fileLock: DataFileLock

    init(_ fileLock: DataFileLock) { self.fileLock = fileLock }

    /// Takes the lock after all threads in this process that requested it earlier.
    ///
    /// - Throws: `.deadlineExceeded` or `.fileFailure`.
    func take(waitingAtMost duration: Duration) throws(StoreError) -> WaitOutcome {
        try StoreDeadline.check()
        let deadline = StoreDeadline.limiting(.now + duration)
        let outcome = line.take(until: deadline)
        guard outcome == .taken else { return outcome }
        var isTaken = false
        defer { if !isTaken { line.release() } }
        let fileOutcome = try fileLock.take(.exclusive, until: deadline)
        isTaken = fileOutcome == .taken
        return fileOutcome
    }

    /// Releases the lock to the next thread.
    ///
    /// - Precondition: `take` returned `.taken`, and the lock has not been released since.
    func release() {
        fileLock.release()
        line.release()
    }
}

/// Excludes writers while this process reads a file whose lock file it may not write.
///
/// Writers learn of readers through LMDB's lock file, and do not reuse pages that a listed reader
/// still reads. A process that cannot add itself there instead holds a shared lock on the data file
/// while it holds a snapshot. Every save takes an exclusive one (``WriteLock``).
final class ReadLock: @unchecked Sendable {
    // Unchecked: `holderCount` is only accessed under `mutex`.
    private let mutex = Lock()
    private let fileLock: DataFileLock
    private var holderCount = 0

    init(_ fileLock: DataFileLock) { self.fileLock = fileLock }

    /// Takes the lock, which any number of snapshots share. Waits for a save that holds its
    /// exclusive lock.
    ///
    /// - Throws: `.fileFailure`.
    func take(waitingAtMost duration: Duration) throws(StoreError) -> WaitOutcome {
        try TurnExecutor.whileWaiting { () throws(StoreError) in
            try mutex.withLock { () throws(StoreError) in
                if holderCount == 0 {
                    let deadline = StoreDeadline.limiting(.now + duration)
                    let outcome = try fileLock.take(.shared, until: deadline)
                    guard outcome == .taken else { return outcome }
                }
                holderCount += 1
                return .taken
            }
        }
    }

    /// Releases the lock that one call of `take` took.
    func release() {
        mutex.withLock {
            holderCount -= 1
            if holderCount == 0 { fileLock.release() }
        }
    }
}
