import Foundation

/// A file that appears under its name whole and durable, or not at all, and is later removed.
///
/// It is first written under a second name, which is always the same. A writer that was killed
/// therefore leaves at most one file, which the next writer overwrites. Callers use ``FolderLocks``
/// so that only one of them writes at a time.
package struct StagedFile: Sendable {
    /// The path under which the file appears.
    package let path: String

    /// Creates a value for a path. The file system is not touched.
    package init(_ path: String) { self.path = path }

    /// The suffix of the second name, under which the file is written.
    package static let suffix = "-new"

    private var stagedPath: String { path + Self.suffix }

    /// Whether the file is there. Costs one call of the system.
    package var exists: Bool { access(path, F_OK) == 0 }

    /// Whether there is a file under the second name, which may not be complete.
    package var hasLeftover: Bool { access(stagedPath, F_OK) == 0 }

    /// Reads the file. Returns `nil` if there is none.
    ///
    /// - Throws: if it cannot be read; `EINVAL` if it is no regular file.
    package func read() throws(FileFailure) -> [UInt8]? {
        do throws(FileFailure) {
            return [UInt8](try PosixFile.read(path))
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return nil }
            throw error
        }
    }

    /// Writes the content under the second name, and waits until the medium has it.
    ///
    /// - Parameter other: the file whose mode and owner it gets.
    /// - Throws: if it cannot be written. What was written is left for ``remove()``.
    package func stage(_ content: [UInt8], modeOf other: String) throws(FileFailure) {
        let held = try HeldFile(
            opening: stagedPath, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
        try held.takeModeAndOwner(of: other)
        try held.write(content)
        try held.synchronize()
    }

    /// Gives the staged file its name. It is durable under it after ``PosixFile/syncFolder(_:)``.
    package func publish() throws(FileFailure) {
        guard rename(stagedPath, path) == 0 else { throw PosixFile.failure("rename to", path) }
    }

    /// Removes the file, and what was not written to its end. Does nothing if neither is there.
    package func remove() throws(FileFailure) {
        for path in [path, stagedPath] where unlink(path) != 0 {
            let code = errno
            if code == ENOENT || code == ENOTDIR { continue }
            throw FileFailure(operation: "unlink", path: path, code: code)
        }
    }
}
