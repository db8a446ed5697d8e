import Foundation

/// A file that appears under its name complete and durable, or not at all, and is later removed.
///
/// The file is first written under a second name, which is always the same. Therefore a writer that
/// is killed leaves at most one file, which the next writer overwrites. Callers lock the
/// folder, so that only one of them writes at a time.
package struct StagedFile: Sendable {
    /// The path at which the file appears.
    package let path: String

    /// Creates a value for a path. The file system is not accessed.
    package init(_ path: String) { self.path = path }

    /// The suffix of the second name.
    package static let suffix = "-new"

    private var stagedPath: String { path + Self.suffix }

    /// Whether the file exists, or a symbolic link with its name. The cost is one system call.
    package var exists: Bool { Self.isThere(path) }

    /// Whether there is a file with the second name, which may be incomplete.
    package var hasLeftover: Bool { Self.isThere(stagedPath) }

    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Reads the file. Returns `nil` if the file does not exist.
    ///
    /// - Throws: a failure if the file cannot be read; `EINVAL` if it is not a regular file; `ELOOP`
    ///   if it is a symbolic link.
    package func read() throws(FileFailure) -> [UInt8]? {
        do {
            return try HeldFile(companion: path, O_RDONLY).readAll()
        } catch {
            // Nothing can have a name that is too long.
            if [ENOENT, ENOTDIR, ENAMETOOLONG].contains(error.code) { return nil }
            throw error
        }
    }

    /// Writes the content to a file with the second name, and waits until it is on the medium.
    ///
    /// - Parameters:
    ///   - content: the whole content of the file.
    ///   - other: the path of the file whose mode and owner the new file gets.
    /// - Throws: a failure if the content cannot be written. Call ``remove()`` to remove the
    ///   incomplete file.
    package func stage(_ content: [UInt8], modeOf other: String) throws(FileFailure) {
        // A leftover may belong to another user, or be a link that someone else created there.
        unlink(stagedPath)
        let held = try HeldFile(companion: stagedPath, O_WRONLY | O_CREAT | O_EXCL)
        try held.takeModeAndOwner(of: other)
        try held.write(content)
        try held.synchronize()
    }

    /// Gives the staged file its name. The name is durable after ``PosixFile/syncFolder(_:)``.
    package func publish() throws(FileFailure) {
        guard rename(stagedPath, path) == 0 else { throw PosixFile.failure("rename to", path) }
    }

    /// Removes the file, and an incomplete file with the second name. Has no effect if neither
    /// exists.
    package func remove() throws(FileFailure) {
        for path in [path, stagedPath] where unlink(path) != 0 {
            let code = errno
            if [ENOENT, ENOTDIR, ENAMETOOLONG].contains(code) { continue }
            throw FileFailure(operation: "unlink", path: path, code: code)
        }
    }
}
