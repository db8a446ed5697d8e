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

    /// Asks what has a name. A symbolic link is not followed.
    ///
    /// - Throws: failures of `lstat`.
    init(named path: String) throws(FileFailure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw PosixFile.failure("lstat", path) }
        self.init(status)
    }
}

extension FileStamp {
    /// As many characters as the largest number takes.
    static let fingerprintLength = 13

    /// The content's identity as characters of a file name, for another process to compare with
    /// the other contents of the same folder.
    ///
    /// Two stamps with ``hasContent(of:)`` have the same text. The device is left out, because it
    /// can have another number after the machine starts again.
    var fingerprint: String {
        // FNV-1a, by bytes.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        let words = [
            identity.inode, UInt64(bitPattern: byteCount),
            UInt64(bitPattern: Int64(modified.seconds)),
            UInt64(bitPattern: Int64(modified.nanoseconds)),
        ]
        for word in words {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                hash = (hash ^ (word >> shift & 0xff)) &* 0x100_0000_01b3
            }
        }
        let text = String(hash, radix: 36)
        return String(repeating: "0", count: Self.fingerprintLength - text.count) + text
    }
}
