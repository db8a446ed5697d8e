import Foundation

extension PosixFile {
    /// Takes an advisory lock on a file (`flock`) with one of its descriptors, without waiting. The
    /// lock excludes locks with other descriptors, even in the same process.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor that holds the lock. Release the lock with ``unlock(_:)`` or
    ///     ``closeUnlocking(_:)``.
    ///   - isShared: whether others may have shared locks at the same time.
    ///   - path: names the file in errors.
    /// - Returns: `false` if a lock with another descriptor excludes this one.
    /// - Throws: the failure of `flock`, for example on a file system without locks.
    package static func lock(
        _ descriptor: Int32, isShared: Bool = false, _ path: String
    ) throws(FileFailure) -> Bool {
        while flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { return false }
            throw failure("flock", path)
        }
        return true
    }

    /// Releases the lock that ``lock(_:isShared:_:)`` took with the descriptor.
    package static func unlock(_ descriptor: Int32) { flock(descriptor, LOCK_UN) }

    /// Releases the lock that was taken with a descriptor, if there is one, and closes the
    /// descriptor.
    ///
    /// Closing alone would not release the lock while a child that was forked without `exec` lives,
    /// because the child has a copy of the descriptor.
    package static func closeUnlocking(_ descriptor: Int32) {
        unlock(descriptor)
        close(descriptor)
    }
}
