import Foundation

/// One file that is replaced as a whole, so that a crash leaves the old content or the new one.
///
/// Foundation's writers are not used: on Linux a short write corrupts what they write, they leave
/// the folder unsynchronised, widen permissions, and put a file in a symbolic link's place.
package struct DurableFile: Sendable {
    /// Where the file is, symbolic links followed.
    package let path: String

    /// Follows symbolic links, that of a missing file too, as far as they lead.
    package init(_ url: URL) {
        path = RealPath.of(url.standardizedFileURL.path)
    }

    package var folder: String { (path as NSString).deletingLastPathComponent }
    var name: String { (path as NSString).lastPathComponent }

    // MARK: Reading

    /// Opens the file for reading.
    ///
    /// - Throws: if there is no such file; `EINVAL` where it is no regular one.
    package func hold() throws(FileFailure) -> HeldFile {
        // Without O_NONBLOCK a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("open") }
        let held = try HeldFile(descriptor, path: path)
        guard held.isRegular else {
            throw FileFailure(operation: "read", path: path, code: EINVAL)
        }
        return held
    }

    /// What the file system says of the file now. `nil` if there is none.
    ///
    /// - Throws: if it cannot be asked.
    package func stamp() throws(FileFailure) -> FileStamp? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure("stat")
        }
        return FileStamp(status)
    }

    // MARK: Writing

    /// Puts the content in the file's place, durably: a crash leaves what was there, or all of this.
    ///
    /// - Throws: if it cannot be written; what was there is as it was, but for a failure to
    ///   synchronise the folder, after which it is the old content or the new one.
    package func write(_ content: [UInt8]) throws(FileFailure) {
        try prepare(content).replace()
        try synchronizeFolder()
    }

    /// Writes the content to a temporary file beside this one and makes it durable.
    ///
    /// It has the mode and owner of the file that it will replace, or mode 0600 if it replaces none. An owner
    /// that this process may not give is left: the file is then the process's own.
    ///
    /// - Parameter other: the file whose mode and owner it has instead, where there is that one.
    /// - Throws: if it cannot be written; no file is left then.
    package func prepare(
        _ content: [UInt8], modeOf other: String? = nil
    ) throws(FileFailure) -> PendingFile {
        try prepare(FileParts(content), modeOf: other)
    }

    /// The same with bytes in parts.
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
            guard errno == EEXIST || errno == EINTR else { throw failure("create a file beside") }
        }
    }

    /// Makes the folder's entries durable.
    package func synchronizeFolder() throws(FileFailure) { try PosixFile.syncFolder(folder) }

    func failure(_ operation: String) -> FileFailure {
        FileFailure(operation: operation, path: path, code: errno)
    }
}
