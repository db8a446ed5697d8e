import Foundation

/// An advisory lock on a file. It excludes other processes, and other holders in the same process.
///
/// The lock is held until the object is released or the process ends. The lock file is not removed:
/// if it were, two processes could hold the lock at the same time.
public final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock without waiting. Returns `nil` if the lock is held elsewhere.
    ///
    /// - Parameter path: the path of the lock file, which is created if it does not exist.
    /// - Throws: a failure if the file cannot be created, opened or locked.
    public init?(ifFree path: String) throws(FileFailure) {
        // Do not follow a symbolic link that someone else created there.
        descriptor = try PosixFile.open(path, O_RDWR | O_CREAT | O_NOFOLLOW)
        guard try PosixFile.lock(descriptor, path) else { return nil }
    }

    deinit { PosixFile.closeUnlocking(descriptor) }
}
