import Foundation

/// An open file that grows durably at its end, such as a log.
///
/// Several processes may have the file open, and read it while one of them appends to it.
package final class GrowingFile: Sendable {
    private let descriptor: Int32
    /// The file, and the path that it was opened with.
    package let opened: OpenedFile

    /// Opens an existing file.
    ///
    /// - Throws: `ENOENT` or `ENOTDIR` if the file does not exist; any other failure of the system.
    package init(_ url: URL, isReadOnly: Bool) throws(FileFailure) {
        let path = RealPath.of(url.standardizedFileURL.path)
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
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

    deinit { PosixFile.closeUnlocking(descriptor) }

    /// The path of the file, with symbolic links resolved.
    package var path: String { opened.path }

    /// Creates a file with its first content durably. If a file with that name exists, it is not
    /// changed. After a crash, the file has all of the content or does not exist.
    ///
    /// - Returns: whether the file was created.
    /// - Throws: a failure if the file cannot be written. Nothing has changed then.
    @discardableResult
    package static func create(_ url: URL, _ content: [UInt8]) throws(FileFailure) -> Bool {
        let file = DurableFile(url)
        guard try file.prepare(content).create() != nil else { return false }
        try file.synchronizeFolder()
        return true
    }

    /// Removes the temporary files of processes that died while they created the file.
    ///
    /// - Precondition: no process is creating the file.
    package static func removeLeftovers(of url: URL) { DurableFile(url).settleLeftovers() }

    /// Takes an advisory lock on the file, which is released with this object. Does not wait. Returns
    /// `false` if the lock is held elsewhere. On a file system without such locks, every attempt
    /// succeeds.
    ///
    /// An engine takes a shared lock on the file of each open store, so that a process that wants
    /// to move the store can tell that it is open.
    package func lock(isShared: Bool) -> Bool {
        (try? PosixFile.lock(descriptor, isShared: isShared, path)) ?? true
    }

    /// Returns the current length of the file.
    ///
    /// - Throws: the failure of `fstat`.
    package func byteCount() throws(FileFailure) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("fstat") }
        return Int(status.st_size)
    }

    /// Reads the bytes from an offset to the current end of the file, or to `end`.
    ///
    /// - Throws: a failure if the bytes cannot be read.
    package func read(from offset: Int, to end: Int? = nil) throws(FileFailure) -> [UInt8] {
        let expected = max(try min(byteCount(), end ?? .max) - offset, 0)
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: expected) { buffer, count in
            while count < expected {
                let got = pread(
                    descriptor, buffer.baseAddress?.advanced(by: count), expected - count,
                    off_t(offset + count))
                if got < 0, errno == EINTR { continue }
                if got < 0 { code = errno }
                // 0 means that the file has been truncated in the meantime.
                if got <= 0 { return }
                count += got
            }
        }
        if code != 0 { throw FileFailure(operation: "read", path: path, code: code) }
        return bytes
    }

    /// Writes bytes at an offset, which may be the end of the file. The bytes are durable after the
    /// next ``synchronize()``.
    ///
    /// - Throws: a failure if some of the bytes cannot be written. Others may have been written
    ///   then.
    package func write(_ content: [UInt8], at offset: Int) throws(FileFailure) {
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

    /// Shortens the file to a length in bytes. The bytes after it are lost.
    ///
    /// - Throws: the failure of `ftruncate`.
    package func truncate(to byteCount: Int) throws(FileFailure) {
        while ftruncate(descriptor, off_t(byteCount)) != 0 {
            guard errno == EINTR else { throw failure("ftruncate") }
        }
    }

    /// Waits until the written bytes are on the medium.
    ///
    /// - Throws: a failure if they may not be there.
    package func synchronize() throws(FileFailure) { try PosixFile.sync(descriptor, path) }

    private func failure(_ operation: String) -> FileFailure {
        PosixFile.failure(operation, path)
    }
}
