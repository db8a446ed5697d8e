import Foundation

#if os(Linux)
import CairnCLinux
#endif

/// The numbers that identify a file within the operating system, regardless of the file's names.
///
/// The numbers of a removed file can be given to a new one as soon as no process has the removed
/// file open. Therefore an identity is reliable only while the file is known to exist or is kept
/// open.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    let inode: UInt64

    /// Creates an identity from the result of `stat`.
    package init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// Creates the identity of the file that a path leads to. Follows symbolic links, and opens no
    /// descriptor.
    ///
    /// - Throws: `ENOENT` or `ENOTDIR` if the path leads to no file; other failures of `stat`.
    package init(at path: String) throws(FileFailure) {
        self.init(try PosixFile.status(path))
    }
}

extension FileIdentity {
    /// Returns the time at which the file was created, as text, or `"0"` if the file system does
    /// not record it.
    ///
    /// Together with an identity, this distinguishes a file from a later file with the same
    /// numbers.
    package static func birthTime(at path: String) -> String {
        #if os(Linux)
        String(cairn_birth_time(path))
        #else
        var status = stat()
        guard stat(path, &status) == 0 else { return "0" }
        return "\(status.st_birthtimespec.tv_sec).\(status.st_birthtimespec.tv_nsec)"
        #endif
    }
}

extension FileIdentity: Comparable {
    /// An arbitrary order that is the same in all processes.
    package static func < (left: FileIdentity, right: FileIdentity) -> Bool {
        (left.device, left.inode) < (right.device, right.inode)
    }
}

extension FileIdentity: CustomStringConvertible {
    /// Both numbers as text, for a record that other processes compare.
    package var description: String { "\(device):\(inode)" }
}

/// Distinguishes the contents that a file has at different times, without reading the file.
///
/// Stamps are reliable while the file that was read is kept open, because its inode is then not
/// given to another file. The only exception is a program that writes into the file in place,
/// within one tick of the clock, and does not change its length.
package struct FileStamp: Sendable, Hashable {
    package let byteCount: Int64
    private let changed: Instant
    private let modified: Instant

    /// The file.
    package let identity: FileIdentity

    /// Returns whether the content is the same. Permissions and names may differ.
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

    /// Creates the stamp of the file with a name. A symbolic link is not followed.
    init(named path: String) throws(FileFailure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw PosixFile.failure("lstat", path) }
        self.init(status)
    }
}

extension FileStamp {
    /// The number of characters that the largest number takes.
    static let fingerprintLength = 13

    /// The content's identity as characters of a file name, which another process can compare with
    /// the other contents of the same folder.
    ///
    /// Two stamps for which ``hasContent(of:)`` returns `true` have the same fingerprint. The
    /// device is not part of it, because its number may change when the machine restarts.
    var fingerprint: String {
        // FNV-1a, byte by byte.
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
