import Foundation

/// The numbers by which a file system knows a file, whatever names the file has.
///
/// The numbers of a removed file may be given to a new one as soon as no process has the removed
/// file open. So an identity is reliable only as long as its file is known to exist or is held open.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64

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
