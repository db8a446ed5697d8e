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
        do {
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

/// The files that a process leaves beside a file if it dies while it writes the file.
extension DurableFile {
    /// Returns a path beside the file to which only this process writes. A file with such a name
    /// may be removed.
    func newTemporaryPath() -> String {
        let suffix = String(UInt64.random(in: 0..<1 << 30) | 1 << 30, radix: 32)
        return folder + "/" + temporaryPrefix + suffix
    }

    private var temporaryPrefix: String { ".\(TemporaryName.stem(of: name)).saving-" }

    private func isTemporary(_ other: String) -> Bool {
        other.hasPrefix(temporaryPrefix) && other.utf8.count == temporaryPrefix.utf8.count + 7
    }

    /// Whether processes have died while they wrote this file, or are writing it now.
    package var hasLeftovers: Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: folder))?
            .contains { isTemporary($0) || FileExchange(named: $0, at: self) != nil } ?? false
    }

    /// Removes the temporary files of processes that died while they wrote this file, and completes
    /// their exchanges. If such an exchange had moved away a file of another program, that file is
    /// restored.
    ///
    /// - Precondition: the caller holds a lock that keeps others from writing the file.
    package func settleLeftovers() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names {
            if isTemporary(name) {
                try? FileManager.default.removeItem(atPath: folder + "/" + name)
            } else if let exchange = FileExchange(named: name, at: self) {
                _ = try? exchange.settle()
            }
        }
    }

    /// Removes a file or folder of this process that has another kind of temporary name.
    ///
    /// A folder cannot be removed in one step. Therefore it first gets a new temporary name, so
    /// that whatever is left of it can be removed later. If the renaming fails, the folder is left
    /// for ``settleLeftovers()``.
    func discard(_ leftover: String) {
        if unlink(leftover) == 0 { return }
        let temporary = newTemporaryPath()
        guard rename(leftover, temporary) == 0 else { return }
        try? FileManager.default.removeItem(atPath: temporary)
    }
}
