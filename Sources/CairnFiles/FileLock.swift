import Foundation

/// An advisory lock on a file, among all processes and all users of one process.
///
/// It is held until it is released, and it is gone with the process. The file stays: a lock whose file
/// is removed could be taken twice.
public final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock at once. Returns `nil` if another holds it.
    ///
    /// - Parameter path: the lock's file, made if it is not there.
    /// - Throws: if the file cannot be made, opened or locked.
    public init?(ifFree path: String) throws(FileFailure) {
        // Never through a symbolic link that somebody put there.
        descriptor = try PosixFile.open(path, O_RDWR | O_CREAT | O_NOFOLLOW)
        guard try PosixFile.lock(descriptor, path) else { return nil }
    }

    deinit { close(descriptor) }
}
