import Foundation

/// What a path leads to.
package enum FileNature: Sendable, Hashable {
    /// A file that can be read to its end.
    case regularFile(byteCount: Int)
    case folder
    /// Something that may have no end, or wait for a writer. The text names it with its article.
    case special(String)

    /// Looks at what a path leads to, over symbolic links. Nothing is opened, so this neither waits for a
    /// pipe nor disturbs a device.
    ///
    /// - Throws: a failure with `ENOENT` if nothing is there, and with the system's code otherwise.
    package init(of path: String) throws(FileFailure) {
        self.init(try PosixFile.status(path))
    }

    /// Takes what the system says about a file.
    package init(_ status: stat) {
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regularFile(byteCount: Int(status.st_size))
            case S_IFDIR: .folder
            case S_IFIFO: .special("a named pipe")
            case S_IFCHR: .special("a character device")
            case S_IFBLK: .special("a block device")
            case S_IFSOCK: .special("a socket")
            default: .special("no regular file")
            }
    }
}
