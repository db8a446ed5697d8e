import Foundation

/// A file that is replaced as a whole, so that after a crash it has either the old content or the
/// new one.
///
/// Foundation's writers are not used. On Linux, they corrupt the file after a short write. They
/// also do not synchronise the folder, widen permissions, and replace a symbolic link with a file.
package struct DurableFile: Sendable {
    /// The file's path, with symbolic links resolved.
    package let path: String
    private let isCompanion: Bool

    /// Creates a value for a path. Resolves its symbolic links as far as possible, even if the file
    /// does not exist.
    package init(_ url: URL) {
        path = RealPath.of(url.standardizedFileURL.path)
        isCompanion = false
    }

    /// Creates a value for a file that belongs to another one. Its path is already without symbolic
    /// links in the folder. If the file itself is a link, it is not followed.
    ///
    /// - Parameter path: the path of the file.
    package init(companion path: String) {
        self.path = path
        isCompanion = true
    }

    package var folder: String { (path as NSString).deletingLastPathComponent }
    var name: String { (path as NSString).lastPathComponent }

    // MARK: Reading

    /// Opens the file for reading.
    ///
    /// - Throws: a failure if the file cannot be opened; `EINVAL` if it is not a regular file.
    package func hold() throws(FileFailure) -> HeldFile {
        if isCompanion { return try HeldFile(companion: path, O_RDONLY) }
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("open") }
        let held = try HeldFile(descriptor, path: path)
        guard held.isRegular else {
            throw FileFailure(operation: "read", path: path, code: EINVAL)
        }
        return held
    }

    /// Returns the file's current stamp, or `nil` if the file does not exist.
    ///
    /// - Throws: the failure of `stat`.
    package func stamp() throws(FileFailure) -> FileStamp? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure("stat")
        }
        return FileStamp(status)
    }

    // MARK: Writing

    /// Replaces the file's content durably. After a crash, the file has either the old content or
    /// the new one.
    ///
    /// - Throws: a failure if the content cannot be written. The file then has its old content,
    ///   except if only synchronising the folder failed: then it has either the old content or the
    ///   new one.
    package func write(_ content: [UInt8]) throws(FileFailure) {
        try prepare(content).replace()
        try synchronizeFolder()
    }

    /// Writes the content to a temporary file beside this one and makes it durable.
    ///
    /// The temporary file gets the mode and owner of the file that it will replace, or mode 0600 if
    /// there is no such file. If this process is not allowed to set that owner, the file belongs to
    /// the process's user.
    ///
    /// - Parameters:
    ///   - content: the whole content of the file.
    ///   - other: the path of a file whose mode and owner are used instead, if that file exists.
    /// - Throws: a failure if the file cannot be written. The temporary file has been removed then.
    package func prepare(
        _ content: [UInt8], modeOf other: String? = nil
    ) throws(FileFailure) -> PendingFile {
        try prepare(FileParts(content), modeOf: other)
    }

    /// Writes content that consists of parts. See ``prepare(_:modeOf:)``.
    package func prepare(
        _ content: FileParts, modeOf other: String? = nil
    ) throws(FileFailure) -> PendingFile {
        let (temporary, descriptor) = try createTemporary()
        let held: HeldFile
        do throws(FileFailure) {
            held = try HeldFile(descriptor, path: temporary)
        } catch {
            unlink(temporary)
            throw error
        }
        let pending = PendingFile(held, replacing: self)
        try held.takeModeAndOwner(of: other ?? path)
        try held.write(content)
        try held.synchronize()
        return pending
    }

    private func createTemporary() throws(FileFailure) -> (path: String, descriptor: Int32) {
        while true {
            let temporary = newTemporaryPath()
            let descriptor = open(
                temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if descriptor >= 0 { return (temporary, descriptor) }
            guard errno == EEXIST || errno == EINTR else { throw failure("create a file next to") }
        }
    }

    /// Makes the folder's entries durable.
    package func synchronizeFolder() throws(FileFailure) { try PosixFile.syncFolder(folder) }

    func failure(_ operation: String) -> FileFailure {
        FileFailure(operation: operation, path: path, code: errno)
    }
}
