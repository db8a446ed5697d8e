import Foundation

/// A file that is open under a name, and the means to find out whether the name still leads to it.
///
/// Another program can remove the name, or give it to another file, at any time. A library that has
/// the file open does not notice: it goes on writing to a file that has no name any more. This type
/// asks by `stat` alone, because closing a second descriptor of a file would release the POSIX
/// locks that a library of this process has on it.
package struct OpenedFile: Sendable {
    /// The name under which the file was opened, with symbolic links resolved.
    package let path: String
    /// The file that was opened.
    package let identity: FileIdentity

    /// What a name leads to.
    package enum Name: Sendable, Hashable {
        /// The file that was opened. `linkCount` is how many names (hard links) it has.
        case theFile(linkCount: Int)
        case anotherFile
        case nothing
    }

    /// Notes the file that a path leads to now.
    ///
    /// A library may open another file under the same name before or after this call. So note the
    /// file, let the library open it, and then check that ``name()`` is still `theFile`.
    ///
    /// - Throws: `ENOENT` or `ENOTDIR` if the path leads to no file; other failures of `stat`.
    package init(at path: String) throws(FileFailure) {
        self.init(at: path, try FileIdentity(at: path))
    }

    /// Notes that `identity` was opened under the name `path`, for example as `fstat` of the
    /// library's own descriptor says.
    package init(at path: String, _ identity: FileIdentity) {
        self.path = path
        self.identity = identity
    }

    /// Returns what the name leads to now. Costs one call of `stat`.
    ///
    /// - Throws: failures of `stat` other than a missing file.
    package func name() throws(FileFailure) -> Name {
        let status: stat
        do throws(FileFailure) {
            status = try PosixFile.status(path)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return .nothing }
            throw error
        }
        guard FileIdentity(status) == identity else { return .anotherFile }
        return .theFile(linkCount: Int(status.st_nlink))
    }
}
