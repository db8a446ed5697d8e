import CairnFiles
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// The right to write a store's file, among all processes.
///
/// An advisory lock on a file beside the store's, which is there while somebody writes. The lock
/// goes with the process: what a crash leaves is an empty file that hinders nobody.
package final class StoreLock: Sendable {
    private let descriptor: Int32
    private let path: String
    /// Whether the lock's file was there when nobody held the lock: a process was killed during a
    /// save, or called ``leave()``.
    package let wasLeft: Bool
    private let stays = Atomic(false)

    private init(_ descriptor: Int32, path: String, wasLeft: Bool) {
        self.descriptor = descriptor
        self.path = path
        self.wasLeft = wasLeft
    }

    /// Leaves the lock's file when the lock is given back, so that the next holder looks for what
    /// this one could not put in order.
    package func leave() { stays.store(true, ordering: .relaxed) }

    /// Where the lock of a file is.
    package static func path(of file: String) -> String { file + "-lock" }

    /// Takes the lock of a file, waiting for others to give it back.
    ///
    /// - Returns: how that ended, and the lock if it was taken.
    /// - Throws: where the lock's file cannot be made or locked.
    package static func take(
        for file: DurableFile, until deadline: ContinuousClock.Instant
    ) throws(FileFailure) -> (outcome: WaitOutcome, lock: StoreLock?) {
        let path = path(of: file.path)
        var lock: StoreLock?
        let outcome = try LockPolling.take(until: deadline) { () throws(FileFailure) in
            while true {
                switch try attempt(path, beside: file) {
                case .taken(let taken):
                    lock = taken
                    return true
                case .held: return false
                case .gone: continue
                }
            }
        }
        return (outcome, lock)
    }

    /// Takes the lock of a file; nil where another holds it.
    ///
    /// - Throws: where the lock's file cannot be made or locked.
    package static func takeIfFree(for file: DurableFile) throws(FileFailure) -> StoreLock? {
        try take(for: file, until: .now).lock
    }

    private enum Attempt {
        case taken(StoreLock)
        /// Another has it.
        case held
        /// Its holder removed the file while we opened it.
        case gone
    }

    private static func attempt(
        _ path: String, beside file: DurableFile
    ) throws(FileFailure) -> Attempt {
        // Never through a symbolic link that somebody put there.
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        var descriptor = open(path, flags | O_EXCL, 0o600)
        let isNew = descriptor >= 0
        if !isNew, errno == EEXIST { descriptor = open(path, flags, 0o600) }
        guard descriptor >= 0 else {
            throw FileFailure(operation: "open", path: path, code: errno)
        }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            let code = errno
            close(descriptor)
            if code == EWOULDBLOCK { return .held }
            throw FileFailure(operation: "flock", path: path, code: code)
        }
        var (ours, named) = (stat(), stat())
        guard fstat(descriptor, &ours) == 0, lstat(path, &named) == 0, ours.st_ino == named.st_ino,
            ours.st_dev == named.st_dev
        else {
            close(descriptor)
            return .gone
        }
        shareWithWriters(of: file, descriptor)
        return .taken(StoreLock(descriptor, path: path, wasLeft: !isNew))
    }

    /// Whoever may write the store may lock it.
    private static func shareWithWriters(of file: DurableFile, _ descriptor: Int32) {
        var status = stat()
        if stat(file.path, &status) == 0 { _ = fchmod(descriptor, status.st_mode & 0o666) }
    }

    deinit {
        // Removed while it is held: whoever opened it before sees that it is gone, and tries anew.
        if !stays.load(ordering: .relaxed) { unlink(path) }
        close(descriptor)
    }
}
