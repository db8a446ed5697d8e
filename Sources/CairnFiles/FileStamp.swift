import Foundation

/// What tells one content of a file from another without reading it.
///
/// Sound while the file that was read is held open: its inode then is given to no other. What is
/// left is a program that writes into the file in place, within one tick of the clock, and leaves
/// its length.
package struct FileStamp: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64
    private let byteCount: Int64
    private let changed: Instant
    private let modified: Instant

    private struct Instant: Hashable {
        let seconds: Int
        let nanoseconds: Int
    }

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        byteCount = Int64(status.st_size)
        #if canImport(Darwin)
        let (change, modification) = (status.st_ctimespec, status.st_mtimespec)
        #else
        let (change, modification) = (status.st_ctim, status.st_mtim)
        #endif
        changed = Instant(seconds: change.tv_sec, nanoseconds: change.tv_nsec)
        modified = Instant(seconds: modification.tv_sec, nanoseconds: modification.tv_nsec)
    }
}
