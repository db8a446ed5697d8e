import CairnFiles
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// The lock that lets one process at a time write a store's file.
///
/// It is an advisory lock on a second file beside the store's file. The lock file exists while a
/// process writes. The lock ends with its process: a crash leaves an empty lock file, which does
/// not keep others from taking the lock.
package final class StoreLock: Sendable {
    private let descriptor: Int32
    private let path: String
    /// Whether the lock file existed although no process held the lock, because a process was
    /// killed during a save or called ``leave()``.
    package let wasLeft: Bool
    private let stays = Atomic(false)

    private init(_ descriptor: Int32, path: String, wasLeft: Bool) {
        self.descriptor = descriptor
        self.path = path
        self.wasLeft = wasLeft
    }

    /// Keeps the lock file when the lock is released, so that the next holder cleans up what this
    /// one could not.
    package func leave() { stays.store(true, ordering: .relaxed) }

    /// Returns the path of a file's lock file.
    package static func path(of file: String) -> String { file + "-lock" }

    /// Takes the lock of a file. Returns `nil` if another process or thread holds it.
    ///
    /// - Throws: a failure if the lock file cannot be created or locked.
    package static func takeIfFree(for file: DurableFile) throws(FileFailure) -> StoreLock? {
        let path = path(of: file.path)
        while true {
            switch try attempt(path, beside: file) {
            case .taken(let lock): return lock
            case .held: return nil
            case .gone: continue
            }
        }
    }

    private enum Attempt {
        case taken(StoreLock)
        /// Another process or thread holds the lock.
        case held
        /// The holder removed the lock file while this process opened it.
        case gone
    }

    private static func attempt(
        _ path: String, beside file: DurableFile
    ) throws(FileFailure) -> Attempt {
        let (descriptor, isNew) = try PosixFile.openOrCreateCompanion(path, of: file.path)
        do {
            guard try PosixFile.lock(descriptor, path) else {
                close(descriptor)
                return .held
            }
        } catch {
            close(descriptor)
            throw error
        }
        var (ours, named) = (stat(), stat())
        guard fstat(descriptor, &ours) == 0, stat(path, &named) == 0, ours.st_ino == named.st_ino,
            ours.st_dev == named.st_dev
        else {
            close(descriptor)
            return .gone
        }
        return .taken(StoreLock(descriptor, path: path, wasLeft: !isNew))
    }

    deinit {
        // Remove the file while it is locked. A process that has opened it before notices that it
        // was removed, and tries again.
        if !stays.load(ordering: .relaxed) { unlink(path) }
        PosixFile.closeUnlocking(descriptor)
    }
}

extension HeldFile {
    /// How long to wait for a file lock that a store's users share, or that a program moving the
    /// store holds alone.
    ///
    /// A program that looks at the store, or moves it, usually holds the lock for less than a
    /// millisecond, or a few dozen on a busy machine. Programs that use the store may hold the lock
    /// for any length of time.
    static let longestStart: Duration = .milliseconds(250)

    /// Takes an advisory lock on the file, which lasts until the file is released. Waits until the
    /// deadline if the lock is held elsewhere.
    ///
    /// - Returns: whether the lock was taken.
    func lock(
        isShared: Bool, until deadline: ContinuousClock.Instant
    ) throws(StoreError) -> Bool {
        switch LockPolling.take(until: deadline, { lock(isShared: isShared) }) {
        case .taken: return true
        case .timedOut: return false
        case .cancelled: throw .cancelled
        }
    }
}
