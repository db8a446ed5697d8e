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
