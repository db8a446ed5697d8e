import Foundation

#if os(Linux)
import CairnCLinux
#endif

/// An open file that is closed when the object is released.
package final class HeldFile: Sendable {
    private let descriptor: Int32
    let path: String
    /// The mode of the file when it was opened.
    private let mode: mode_t

    /// Takes ownership of the descriptor, and closes it even if an error is thrown.
    ///
    /// - Throws: the failure of `fstat`.
    init(_ descriptor: Int32, path: String) throws(FileFailure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw FileFailure(operation: "fstat", path: path, code: code)
        }
        self.descriptor = descriptor
        self.path = path
        mode = status.st_mode
    }

    /// Opens a file. If the flags allow creating it, a new file gets mode 0600.
    ///
    /// - Throws: the failure of `open` or `fstat`.
    package convenience init(opening path: String, _ flags: Int32) throws(FileFailure) {
        try self.init(PosixFile.open(path, flags), path: path)
    }

    deinit { PosixFile.closeUnlocking(descriptor) }

    var isRegular: Bool { mode & S_IFMT == S_IFREG }

    var isFolder: Bool { mode & S_IFMT == S_IFDIR }

    /// Returns the current stamp of the file.
    ///
    /// - Throws: the failure of `fstat`.
    package func stamp() throws(FileFailure) -> FileStamp { FileStamp(try status()) }

    private func status() throws(FileFailure) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("fstat") }
        return status
    }

    /// Reads the whole file.
    ///
    /// - Throws: a failure if the file cannot be read; `EFBIG` if it does not fit into the address
    ///   space.
    package func readAll() throws(FileFailure) -> [UInt8] {
        let expected = Int(try status().st_size)
        var failed: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: expected) { buffer, count in
            while count < expected {
                let got = pread(
                    descriptor, buffer.baseAddress?.advanced(by: count), expected - count,
                    off_t(count))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failed = errno }
                // 0 means that the file has been truncated in the meantime. The checks of the file
                // format notice that.
                if got <= 0 { return }
                count += got
            }
        }
        if let failed { throw FileFailure(operation: "read", path: path, code: failed) }
        return bytes
    }

    /// Writes all bytes after those already written, with as many calls as necessary.
    func write(_ content: [UInt8]) throws(FileFailure) {
        try PosixFile.write(content, to: descriptor, path)
    }

    /// Writes all parts after the bytes already written.
    func write(_ parts: FileParts) throws(FileFailure) {
        try PosixFile.write(parts, to: descriptor, path)
    }

    func synchronize() throws(FileFailure) { try PosixFile.sync(descriptor, path) }

    /// Takes an advisory lock on the file, which is released with this object. Does not
    /// wait. Returns `false` if another descriptor has a lock that excludes this one.
    ///
    /// Any number of descriptors can have shared locks. On a file system without such locks, every
    /// attempt succeeds.
    package func lock(isShared: Bool) -> Bool {
        (try? PosixFile.lock(descriptor, isShared: isShared, path)) ?? true
    }

    /// Takes an exclusive advisory lock without waiting.
    ///
    /// - Returns: `false` if another descriptor has a lock, and on a file system without such
    ///   locks.
    func locksAlone() -> Bool {
        (try? PosixFile.lock(descriptor, path)) ?? false
    }

    /// Sets the permissions of another file, and also its owner and group if that is allowed. Has
    /// no effect if the other file does not exist.
    func takeModeAndOwner(of path: String) throws(FileFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        // Set the owner first, because changing the owner clears set-user-ID bits.
        if fchown(descriptor, status.st_uid, status.st_gid) != 0 {
            _ = fchown(descriptor, uid_t.max, status.st_gid)
        }
        guard fchmod(descriptor, status.st_mode & 0o777) == 0 else { throw failure("fchmod") }
    }

    // MARK: Folders

    /// Opens a file of this folder.
    func openFile(_ name: String, _ flags: Int32) throws(FileFailure) -> HeldFile {
        let opened = openat(descriptor, name, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else {
            throw FileFailure(operation: "open", path: path + "/" + name, code: errno)
        }
        return try HeldFile(opened, path: path + "/" + name)
    }

    /// Creates a hard link with the same name in another folder to a file of this folder. Returns
    /// `false` if that is not possible.
    func link(_ name: String, to folder: HeldFile) -> Bool {
        linkat(descriptor, name, folder.descriptor, name, 0) == 0
    }

    /// Makes the files of this folder and their names durable.
    func synchronizeContents(_ names: [String]) throws(FileFailure) {
        #if os(Linux)
        // Wait once for all files, because a folder may contain thousands of them.
        guard syncfs(descriptor) == 0 else { throw failure("syncfs") }
        #else
        for name in names { try openFile(name, O_RDONLY).synchronize() }
        #endif
        try synchronize()
    }

    private func failure(_ operation: String) -> FileFailure {
        FileFailure(operation: operation, path: path, code: errno)
    }
}
