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

    /// Opens a companion, or creates it with mode 0600. See ``PosixFile/openCompanion(_:_:)``.
    ///
    /// - Throws: the errors of that function.
    package convenience init(companion path: String, _ flags: Int32) throws(FileFailure) {
        try self.init(PosixFile.openCompanion(path, flags), path: path)
    }

    /// Opens a lock, or creates it. See ``PosixFile/openOrCreateCompanion(_:of:)``.
    ///
    /// - Throws: the errors of that function.
    package convenience init(lock path: String, of main: String) throws(FileFailure) {
        try self.init(PosixFile.openOrCreateCompanion(path, of: main).descriptor, path: path)
    }

    /// Linux reports a symbolic link as something that is not a folder.
    static func explained(_ failure: FileFailure) -> FileFailure {
        var (failure, status) = (failure, stat())
        if failure.code == ENOTDIR, lstat(failure.path, &status) == 0,
            status.st_mode & S_IFMT == S_IFLNK
        {
            failure.code = ELOOP
        }
        return failure
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

    /// Reads the last bytes of the file, or all if there are fewer.
    ///
    /// - Throws: a failure if the file cannot be read.
    package func readEnd(_ byteCount: Int) throws(FileFailure) -> [UInt8] {
        let size = Int(try status().st_size)
        var bytes = [UInt8](repeating: 0, count: min(byteCount, size))
        let count = pread(descriptor, &bytes, bytes.count, off_t(size - bytes.count))
        guard count >= 0 else { throw failure("read") }
        return Array(bytes.prefix(count))
    }

    /// Reads bytes from an offset on, or fewer if the file ends before.
    ///
    /// - Throws: a failure if the file cannot be read.
    package func read(_ byteCount: Int, at offset: Int64) throws(FileFailure) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, done in
            while done < byteCount {
                let count = pread(
                    descriptor, buffer.baseAddress?.advanced(by: done), byteCount - done,
                    off_t(offset) + off_t(done))
                if count < 0, errno == EINTR { continue }
                if count < 0 { code = errno }
                guard count > 0 else { return }
                done += count
            }
        }
        if code != 0 { throw FileFailure(operation: "read", path: path, code: code) }
        return bytes
    }

    /// Writes bytes at an offset, with as many calls as necessary.
    package func write(_ bytes: [UInt8], at offset: Int64) throws(FileFailure) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { throw failure("lseek") }
        try PosixFile.write(bytes, to: descriptor, path)
    }

    /// Sets the length of the file. New bytes are zero.
    package func setByteCount(_ byteCount: Int64) throws(FileFailure) {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw failure("ftruncate") }
    }

    /// Copies bytes to the same offset of another file, through the system if possible.
    ///
    /// - Returns: the number of bytes that were copied, which is 0 only at the end of the file.
    package func copy(
        atMost byteCount: Int, at offset: Int64, to other: HeldFile
    ) throws(FileFailure) -> Int {
        #if os(Linux)
        var (from, to) = (off_t(offset), off_t(offset))
        let count = copy_file_range(descriptor, &from, other.descriptor, &to, UInt(byteCount), 0)
        if count > 0 { return count }
        #endif
        // The system cannot copy between these files, or this is the end of the file.
        let bytes = try read(min(byteCount, 1 << 20), at: offset)
        if !bytes.isEmpty { try other.write(bytes, at: offset) }
        return bytes.count
    }

    /// Reads a whole regular file.
    ///
    /// - Throws: `EINVAL` for anything but a regular file; a failure if the file cannot be read.
    package func readData() throws(FileFailure) -> Data {
        try PosixFile.read(descriptor, path, byteCountLimit: .max)
    }

    /// Writes all bytes after those already written, with as many calls as necessary.
    package func write(_ content: some ContiguousBytes) throws(FileFailure) {
        try PosixFile.write(content, to: descriptor, path)
    }

    /// Writes all parts after the bytes already written.
    func write(_ parts: FileParts) throws(FileFailure) {
        try PosixFile.write(parts, to: descriptor, path)
    }

    /// Waits until the content of the file, or the entries of the folder, are on the medium.
    package func synchronize() throws(FileFailure) { try PosixFile.sync(descriptor, path) }

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

    /// Sets the permissions of another file, and also its owner and group as far as this process
    /// may. Has no effect if the other file does not exist.
    ///
    /// - Parameter modes: the permissions that are taken over. The others are removed.
    package func takeModeAndOwner(
        of other: String, _ modes: mode_t = 0o777
    ) throws(FileFailure) {
        try PosixFile.takeModeAndOwner(descriptor, path, of: other, modes)
    }

    // MARK: Folders

    /// Returns the names in this folder.
    ///
    /// - Throws: a failure if the folder cannot be read.
    package func names() throws(FileFailure) -> [String] {
        let listed = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listed >= 0, let folder = fdopendir(listed) else {
            defer { close(listed) }
            throw failure("opendir")
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Opens a file or folder of this folder. Does not follow a symbolic link. If the flags allow
    /// creating a file, it gets mode 0600.
    package func openFile(_ name: String, _ flags: Int32) throws(FileFailure) -> HeldFile {
        try HeldFile(open(name, flags), path: path + "/" + name)
    }

    /// Opens a file or folder of this folder, as ``openFile(_:_:)``. Returns the descriptor.
    func open(_ name: String, _ flags: Int32) throws(FileFailure) -> Int32 {
        let opened = openat(descriptor, name, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else {
            throw Self.explained(
                FileFailure(operation: "open", path: path + "/" + name, code: errno))
        }
        return opened
    }

    /// Creates a folder in this folder. Returns `false` if something with that name exists.
    func makeFolder(_ name: String) throws(FileFailure) -> Bool {
        if mkdirat(descriptor, name, 0o700) == 0 { return true }
        guard errno == EEXIST else {
            throw FileFailure(operation: "mkdir", path: path + "/" + name, code: errno)
        }
        return false
    }

    /// Removes a file of this folder. Does nothing if the file does not exist or cannot be removed.
    func removeFile(_ name: String) { unlinkat(descriptor, name, 0) }

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
