import Foundation

/// A file that was opened with a path, and the means to find out whether the path still leads to
/// the file.
///
/// Another program can remove the file's name, or give the name to another file, at any time. A
/// library that has the file open does not notice, and continues to write to a file that has no
/// name any more. This type only calls `stat`, because opening and closing a second descriptor
/// would release the POSIX locks that a library in this process has on the file.
package struct OpenedFile: Sendable {
    /// The path that the file was opened with, with symbolic links resolved.
    package let path: String
    /// The file that was opened.
    package let identity: FileIdentity

    /// What a path leads to.
    package enum Name: Sendable, Hashable {
        /// The file that was opened. `linkCount` is the number of its names (hard links), which is
        /// always 1 for a folder.
        case theFile(linkCount: Int)
        case anotherFile
        case nothing
    }

    /// Records the file that a path leads to now.
    ///
    /// A library may open another file with the same path before or after this call. Therefore
    /// create this value, let the library open the file, and then check that ``name()`` still
    /// returns `theFile`.
    ///
    /// - Throws: `ENOENT` or `ENOTDIR` if the path leads to no file; other failures of `stat`.
    package init(at path: String) throws(FileFailure) {
        self.init(at: path, try FileIdentity(at: path))
    }

    /// Records that `identity` was opened with the path `path`, for example according to `fstat` on
    /// the library's own descriptor.
    package init(at path: String, _ identity: FileIdentity) {
        self.path = path
        self.identity = identity
    }

    /// Returns what the path leads to now. The cost is one call of `stat`.
    ///
    /// - Throws: failures of `stat`, except that the file does not exist.
    package func name() throws(FileFailure) -> Name {
        let status: stat
        do {
            status = try PosixFile.status(path)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return .nothing }
            throw error
        }
        guard FileIdentity(status) == identity else { return .anotherFile }
        // Each folder inside a folder is a link to it.
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        return .theFile(linkCount: isFolder ? 1 : Int(status.st_nlink))
    }
}
