import Foundation

#if os(Linux)
import CairnCLinux
#endif

/// The numbers by which a file system knows a file, whatever names the file has.
///
/// The numbers of a removed file may be given to a new one as soon as no process has the removed
/// file open. So an identity is reliable only as long as its file is known to exist or is held open.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    let inode: UInt64

    /// Takes the numbers from what the file system says of a file.
    package init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// Asks which file a path leads to, through symbolic links. Opens no descriptor.
    ///
    /// - Throws: `ENOENT` or `ENOTDIR` if the path leads to no file; other failures of `stat`.
    package init(at path: String) throws(FileFailure) {
        self.init(try PosixFile.status(path))
    }
}

extension FileIdentity {
    /// Returns when the file at a path was made, as text; `"0"` if the file system does not say.
    ///
    /// Together with an identity this tells a file from a later one that was given its numbers.
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
    /// Any order that is the same for all processes.
    package static func < (left: FileIdentity, right: FileIdentity) -> Bool {
        (left.device, left.inode) < (right.device, right.inode)
    }
}

extension FileIdentity: CustomStringConvertible {
    /// Both numbers as text, for a record that another process compares.
    package var description: String { "\(device):\(inode)" }
}
