import Foundation

extension PosixFile {
    /// Takes an advisory lock of a file (`flock`) by one of its descriptors, at once or not at all. It excludes
    /// locks by other descriptors, of this process too.
    ///
    /// - Parameters:
    ///   - isShared: whether others may have shared locks.
    ///   - path: names the file in errors.
    /// - Returns: `false` if another has a lock that excludes this one.
    /// - Throws: the failure of `flock`, such as on a file system without locks.
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

    /// Releases the lock that ``lock(_:isShared:_:)`` took by the descriptor.
    package static func unlock(_ descriptor: Int32) { flock(descriptor, LOCK_UN) }
}
