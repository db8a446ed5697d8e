import Foundation

/// What tells one content of a file from another without reading it.
///
/// Sound while the file that was read is held open: its inode then is given to no other. What is
/// left is a program that writes into the file in place, within one tick of the clock, and leaves
/// its length.
package struct FileStamp: Sendable, Hashable {
    private let byteCount: Int64
    private let changed: Instant
    private let modified: Instant

    /// Which file it was.
    package let identity: FileIdentity

    /// Whether the content is the same: only permissions or names may differ.
    package func hasContent(of other: FileStamp) -> Bool {
        identity == other.identity && byteCount == other.byteCount && modified == other.modified
    }

    private struct Instant: Hashable {
        let seconds: Int
        let nanoseconds: Int
    }

    init(_ status: stat) {
        identity = FileIdentity(status)
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
