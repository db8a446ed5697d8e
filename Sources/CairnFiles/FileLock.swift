import Foundation

/// An advisory lock on a file. It excludes other processes, and other holders in the same process.
///
/// The lock is held until the object is released or the process ends. The lock file is not removed:
/// if it were, two processes could hold the lock at the same time.
public final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock without waiting. Returns `nil` if the lock is held elsewhere.
    ///
    /// A symbolic link at the path is not followed.
    ///
    /// - Parameter path: the path of the lock file, which is created if it does not exist. Only its
    ///   owner can then open it.
    /// - Throws: a failure if the file cannot be created, opened or locked.
    public convenience init?(ifFree path: String) throws(FileFailure) {
        try self.init(ifFree: path, of: path)
    }

    /// Takes the lock without waiting. Returns `nil` if the lock is held elsewhere.
    ///
    /// - Parameters:
    ///   - path: the path of the lock file, which is created if it does not exist.
    ///   - main: the path of the file whose users share the lock. The lock file gets its mode, owner
    ///     and group, as far as this process may set them.
    /// - Throws: a failure if the file cannot be created, opened or locked.
    package init?(ifFree path: String, of main: String) throws(FileFailure) {
        descriptor = try PosixFile.openOrCreateCompanion(path, of: main).descriptor
        guard try PosixFile.lock(descriptor, path) else { return nil }
    }

    deinit { PosixFile.closeUnlocking(descriptor) }
}
