import Foundation

/// The kind of file that a path leads to.
package enum FileNature: Sendable, Hashable {
    /// A file that can be read to its end.
    case regularFile(byteCount: Int)
    case folder
    /// Something that may have no end, or wait for a writer. The text names it, with its article.
    case special(String)

    /// Determines what a path leads to. Follows symbolic links. Opens nothing, so it neither waits
    /// for a pipe nor disturbs a device.
    ///
    /// - Throws: a failure with code `ENOENT` if nothing is there, and with the system's code
    ///   otherwise.
    package init(of path: String) throws(FileFailure) {
        self.init(try PosixFile.status(path))
    }

    /// Interprets the result of `stat`.
    package init(_ status: stat) {
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regularFile(byteCount: Int(status.st_size))
            case S_IFDIR: .folder
            case S_IFIFO: .special("a named pipe")
            case S_IFCHR: .special("a character device")
            case S_IFBLK: .special("a block device")
            case S_IFSOCK: .special("a socket")
            default: .special("a special file")
            }
    }
}
