import Foundation

/// An open file that grows at its end, durably: a log.
///
/// Several processes may have the file open, and read it while one of them appends to it.
public final class GrowingFile: Sendable {
    private let descriptor: Int32
    /// The file, and the name that it was opened under.
    package let opened: OpenedFile

    /// Opens a file that is there.
    ///
    /// - Throws: `ENOENT` or `ENOTDIR` if there is none; what else the system refuses.
    public init(_ url: URL, isReadOnly: Bool) throws(FileFailure) {
        let path = RealPath.of(url.standardizedFileURL.path)
        // Without O_NONBLOCK a named pipe would wait for a writer.
        let descriptor = try PosixFile.open(
            path, (isReadOnly ? O_RDONLY : O_RDWR) | O_NONBLOCK)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let failure = PosixFile.failure("fstat", path)
            close(descriptor)
            throw failure
        }
        self.descriptor = descriptor
        opened = OpenedFile(at: path, FileIdentity(status))
    }

    deinit { close(descriptor) }

    /// The path of the file, with symbolic links resolved.
    public var path: String { opened.path }

    /// Creates a file with its first content, durably, unless something has its name already: then that
    /// stays as it is. A crash leaves all of the content or no file.
    ///
    /// - Throws: if the file cannot be written; nothing has changed then.
    public static func create(_ url: URL, _ content: [UInt8]) throws(FileFailure) {
        let file = DurableFile(url)
        if try file.prepare(content).create() != nil { try file.synchronizeFolder() }
    }

    /// Removes what processes left beside the file that died while they created it.
    ///
    /// - Precondition: no process creates the file meanwhile.
    public static func removeLeftovers(of url: URL) { DurableFile(url).settleLeftovers() }

    /// Takes an advisory lock on the file itself until it is closed, at once or not at all: shared with
    /// others, or exclusive. A file system without such locks gives them all.
    ///
    /// An engine takes a shared lock on the files of its open stores, so that a process that wants
    /// to move a store can tell that it is open.
    public func lock(isShared: Bool) -> Bool {
        (try? PosixFile.lock(descriptor, isShared: isShared, path)) ?? true
    }

    /// Returns the length of the file now.
    ///
    /// - Throws: if the system does not say.
    public func byteCount() throws(FileFailure) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("fstat") }
        return Int(status.st_size)
    }

    /// Reads the bytes from an offset up to the end that the file has now, or up to `end`.
    ///
    /// - Throws: if they cannot be read.
    public func read(from offset: Int, to end: Int? = nil) throws(FileFailure) -> [UInt8] {
        let expected = max(try min(byteCount(), end ?? .max) - offset, 0)
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: expected) { buffer, count in
            while count < expected {
                let got = pread(
                    descriptor, buffer.baseAddress?.advanced(by: count), expected - count,
                    off_t(offset + count))
                if got < 0, errno == EINTR { continue }
                if got < 0 { code = errno }
                // 0: the file was cut short meanwhile.
                if got <= 0 { return }
                count += got
            }
        }
        if code != 0 { throw FileFailure(operation: "read", path: path, code: code) }
        return bytes
    }

    /// Writes bytes at an offset, which may be the file's end. The bytes are durable after the next
    /// ``synchronize()``.
    ///
    /// - Throws: if not all of the bytes can be written. Some of them may have been written then.
    public func write(_ content: [UInt8], at offset: Int) throws(FileFailure) {
        let code = content.withUnsafeBytes { bytes -> Int32 in
            var done = 0
            while done < bytes.count {
                let count = pwrite(
                    descriptor, bytes.baseAddress?.advanced(by: done),
                    min(bytes.count - done, 1 << 30), off_t(offset + done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count == 0 ? ENOSPC : errno }
                done += count
            }
            return 0
        }
        if code != 0 { throw FileFailure(operation: "write", path: path, code: code) }
    }

    /// Cuts the file off.
    ///
    /// - Throws: if the system refuses.
    public func truncate(to byteCount: Int) throws(FileFailure) {
        while ftruncate(descriptor, off_t(byteCount)) != 0 {
            guard errno == EINTR else { throw failure("ftruncate") }
        }
    }

    /// Waits until the medium has what was written.
    ///
    /// - Throws: if it may not have it.
    public func synchronize() throws(FileFailure) { try PosixFile.sync(descriptor, path) }

    private func failure(_ operation: String) -> FileFailure {
        PosixFile.failure(operation, path)
    }
}
