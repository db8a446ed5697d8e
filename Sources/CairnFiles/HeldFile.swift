import Foundation

#if os(Linux)
import CairnCLinux
#endif

/// An open file; closed when it is let go of.
package final class HeldFile: Sendable {
    private let descriptor: Int32
    let path: String
    /// What the file system said when the file was opened.
    private let mode: mode_t

    /// Takes the descriptor, and closes it whatever happens.
    ///
    /// - Throws: if the file system does not say what the file is.
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

    /// Opens a file, which is made with the mode 0600 if the flags say so.
    ///
    /// - Throws: the failure of `open` or `fstat`.
    package convenience init(opening path: String, _ flags: Int32) throws(FileFailure) {
        try self.init(PosixFile.open(path, flags), path: path)
    }

    deinit { close(descriptor) }

    var isRegular: Bool { mode & S_IFMT == S_IFREG }

    var isFolder: Bool { mode & S_IFMT == S_IFDIR }

    /// What the file system says of the file now.
    ///
    /// - Throws: if it does not.
    package func stamp() throws(FileFailure) -> FileStamp { FileStamp(try status()) }

    private func status() throws(FileFailure) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("fstat") }
        return status
    }

    /// Reads everything from the start on.
    ///
    /// - Throws: if the file cannot be read; `EFBIG` if it does not fit the address space.
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
                // 0: the file was cut short meanwhile; the format's checks notice.
                if got <= 0 { return }
                count += got
            }
        }
        if let failed { throw FileFailure(operation: "read", path: path, code: failed) }
        return bytes
    }

    /// Writes all bytes after what was written, however many calls it takes.
    func write(_ content: [UInt8]) throws(FileFailure) {
        try PosixFile.write(content, to: descriptor, path)
    }

    /// Writes all parts after what was written.
    func write(_ parts: FileParts) throws(FileFailure) {
        try PosixFile.write(parts, to: descriptor, path)
    }

    func synchronize() throws(FileFailure) { try PosixFile.sync(descriptor, path) }

    /// Takes an advisory lock on the file until the file is closed. Does not wait: returns `false`
    /// if another descriptor has a lock that excludes this one.
    ///
    /// Any number of descriptors may share a file. On a file system without such locks, every
    /// attempt succeeds.
    package func lock(isShared: Bool) -> Bool {
        (try? PosixFile.lock(descriptor, isShared: isShared, path)) ?? true
    }

    /// Takes an exclusive advisory lock, at once or not at all.
    ///
    /// - Returns: `false` if another descriptor has a lock, and on a file system without such locks.
    func locksAlone() -> Bool {
        (try? PosixFile.lock(descriptor, path)) ?? false
    }

    /// Takes the permissions of another file, and its owner and group if that is allowed. Has no
    /// effect if there is no such file.
    func takeModeAndOwner(of path: String) throws(FileFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        // Owner first: a change of owner clears set-user-ID bits.
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

    /// Gives a file of this folder the same name in another. Returns `false` if that cannot be
    /// done.
    func link(_ name: String, to folder: HeldFile) -> Bool {
        linkat(descriptor, name, folder.descriptor, name, 0) == 0
    }

    /// Makes the files of this folder durable, and their names.
    func synchronizeContents(_ names: [String]) throws(FileFailure) {
        #if os(Linux)
        // One wait for all files: a folder may hold thousands.
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
