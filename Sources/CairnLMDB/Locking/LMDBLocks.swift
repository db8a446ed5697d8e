import CairnFiles
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// The locks on a store's data file: the right to save to it, which has only one holder at a time
/// among all processes, and the right to read it without being listed in LMDB's lock file.
///
/// Both are a `flock` on the file, which the system releases when the process dies. The write lock
/// is taken before LMDB's own lock, so no save ever waits for LMDB's lock.
///
/// Writers learn of readers through LMDB's lock file, and do not reuse pages that a listed reader
/// still reads. A process that cannot write that file instead holds a shared lock on the data file
/// while it holds a snapshot. Every save takes an exclusive one. One process never holds both: if
/// readers need the lock, the process cannot save.
final class LMDBLocks: @unchecked Sendable {
    // Unchecked: `nextKeys` is only accessed by the holder of the write lock.
    private let descriptor: Int32
    private let path: String
    private let savers = FairLock()
    private let readerCount = Mutex(0)
    /// The keys after those that saves in this process took, whether or not they were committed.
    private var nextKeys: [String: Int64] = [:]

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

    /// Takes the lock of the file if it is free.
    private func takeIfFree(isShared: Bool) throws(StoreError) -> Bool {
        try StoreError.onFiles(try PosixFile.lock(descriptor, isShared: isShared, path))
    }

    // MARK: Saving

    /// Takes the write lock after all threads in this process that requested it earlier.
    func takeWriteLock(waitingAtMost duration: Duration) throws(StoreError) -> WaitOutcome {
        try StoreDeadline.check()
        let deadline = StoreDeadline.limiting(.now + duration)
        let outcome = savers.take(until: deadline)
        guard outcome == .taken else { return outcome }
        var isTaken = false
        defer { if !isTaken { savers.release() } }
        let fileOutcome = try LockPolling.take(until: deadline) { () throws(StoreError) in
            try takeIfFree(isShared: false)
        }
        isTaken = fileOutcome == .taken
        return fileOutcome
    }

    /// Releases the write lock to the next thread.
    ///
    /// - Precondition: `takeWriteLock` returned `.taken`, and the lock has not been released since.
    func releaseWriteLock() {
        PosixFile.unlock(descriptor)
        savers.release()
    }

    /// Returns the key after the last key that was taken for a root entity.
    ///
    /// - Precondition: The caller holds the write lock.
    func nextKey(of root: String) -> Int64 { nextKeys[root] ?? 1 }

    /// Records that the keys below `key` were taken.
    ///
    /// - Precondition: The caller holds the write lock.
    func raiseNextKey(to key: Int64, of root: String) {
        nextKeys[root] = max(key, nextKey(of: root))
    }

    // MARK: Reading

    /// Takes the read lock, which any number of snapshots share. Waits for a save that holds the
    /// write lock.
    func takeReadLock(waitingAtMost duration: Duration) throws(StoreError) -> WaitOutcome {
        // The mutex is not held between two attempts, so that the wait of each reader can be cancelled.
        try LockPolling.take(until: StoreDeadline.limiting(.now + duration)) {
            () throws(StoreError) in
            try readerCount.withLock { (count) throws(StoreError) in
                if count == 0, try !takeIfFree(isShared: true) { return false }
                count += 1
                return true
            }
        }
    }

    /// Releases the lock that one call of `takeReadLock` took.
    func releaseReadLock() {
        readerCount.withLock { count in
            count -= 1
            if count == 0 { PosixFile.unlock(descriptor) }
        }
    }
}
