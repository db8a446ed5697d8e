import Foundation

#if os(Linux)
import CairnCLinux
#endif

/// File operations on top of POSIX: they read whole files, and what they have written is durable
/// when they return.
///
/// Foundation's writer is not used, because on Linux it starts over after a short write, and does
/// not synchronize folders.
package enum PosixFile {
    /// Returns the status of the file that a path leads to. Opens no descriptor.
    package static func status(_ path: String) throws(FileFailure) -> stat {
        var status = stat()
        // Passing the string directly would copy it first.
        guard path.withCString({ stat($0, &status) }) == 0 else { throw failure("stat", path) }
        return status
    }

    /// Reads a whole regular file.
    ///
    /// - Throws: `EINVAL` for anything but a regular file, which is not read; `EFBIG` for a file
    ///   that is larger than the limit.
    package static func read(
        _ path: String, byteCountLimit: Int = .max
    ) throws(FileFailure) -> Data {
        // O_NONBLOCK keeps `open` from waiting for the writer of a pipe. It has no effect on
        // regular files.
        let descriptor = try open(path, O_RDONLY | O_NONBLOCK)
        defer { close(descriptor) }
        return try read(descriptor, path, byteCountLimit: byteCountLimit)
    }

    /// Reads a whole regular file that has just been opened.
    static func read(
        _ descriptor: Int32, _ path: String, byteCountLimit: Int
    ) throws(FileFailure) -> Data {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("stat", path) }
        guard case .regularFile(let byteCount) = FileNature(status) else {
            throw FileFailure(operation: "read", path: path, code: EINVAL)
        }
        guard byteCount <= byteCountLimit else {
            throw FileFailure(operation: "read", path: path, code: EFBIG)
        }
        var data = Data(count: byteCount)
        let failure = data.withUnsafeMutableBytes { bytes -> FileFailure? in
            var done = 0
            while done < bytes.count {
                let count = Foundation.read(
                    descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    return FileFailure(
                        operation: "read", path: path, code: count < 0 ? errno : EIO)
                }
                done += count
            }
            return nil
        }
        if let failure { throw failure }
        return data
    }

    /// Writes a new file that only its owner may read, and waits until it is on the medium.
    ///
    /// If the file cannot be written completely, it is removed. The folder's entry is not
    /// synchronized: see ``syncFolder(_:)``.
    package static func write(_ data: Data, toNew path: String) throws(FileFailure) {
        let descriptor = try open(path, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(descriptor) }
        do {
            try write(data, to: descriptor, path)
            try sync(descriptor, path)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Copies a regular file to a new file with the same permissions, and waits until it is on the
    /// medium. Uses at most a megabyte of memory. Does not follow a symbolic link.
    ///
    /// If the file cannot be copied completely, the new file is removed. The folder's entry is not
    /// synchronized.
    ///
    /// - Parameters:
    ///   - source: the path of the file to copy.
    ///   - path: the path of the new file. No file may exist there.
    ///   - synchronizes: whether to wait for the medium.
    package static func copy(
        _ source: String, toNew path: String, synchronizes: Bool = true
    ) throws(FileFailure) {
        let from = try openCompanion(source, O_RDONLY)
        defer { close(from) }
        var status = stat()
        guard fstat(from, &status) == 0 else { throw failure("stat", source) }
        let to = try open(path, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(to) }
        do throws(FileFailure) {
            try copyContent(from, source, to: to, path)
            guard fchmod(to, status.st_mode & 0o777) == 0 else { throw failure("fchmod", path) }
            if synchronizes { try sync(to, path) }
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Copies the content of one file to another. Both files have just been opened.
    private static func copyContent(
        _ from: Int32, _ source: String, to: Int32, _ path: String
    ) throws(FileFailure) {
        #if os(Linux)
        try copyInSystem(from, to: to, path)
        #endif
        // Copy the rest if the system has not copied everything. It usually has.
        while true {
            let bytes = try readSome(from, source, atMost: 1 << 20)
            if bytes.isEmpty { return }
            try write(bytes, to: to, path)
        }
    }

    #if os(Linux)
    /// Lets the system copy as much as it can between these files, so that the bytes do not pass
    /// through the process. On some file systems, the files then share their blocks.
    private static func copyInSystem(
        _ from: Int32, to: Int32, _ path: String
    ) throws(FileFailure) {
        while true {
            let count = copy_file_range(from, nil, to, nil, 1 << 30, 0)
            if count > 0 || count < 0 && errno == EINTR { continue }
            // copy_file_range(2) lists these codes for files between which it cannot copy.
            let refusals = [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EPERM, EBADF]
            guard count == 0 || refusals.contains(errno) else {
                throw FileFailure(operation: "copy_file_range", path: path, code: errno)
            }
            return
        }
    }
    #endif

    private static func readSome(
        _ descriptor: Int32, _ path: String, atMost limit: Int
    ) throws(FileFailure) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            repeat {
                let got = Foundation.read(descriptor, buffer.baseAddress, limit)
                code = got < 0 ? errno : 0
                count = max(got, 0)
            } while code == EINTR
        }
        if code != 0 { throw FileFailure(operation: "read", path: path, code: code) }
        return bytes
    }

    /// Writes all bytes after those already written, with as many calls as necessary.
    static func write(
        _ content: some ContiguousBytes, to descriptor: Int32, _ path: String
    ) throws(FileFailure) {
        let code = content.withUnsafeBytes { bytes -> Int32 in
            var done = 0
            while done < bytes.count {
                // Linux writes at most 0x7ffff000 bytes in one call.
                let count = Foundation.write(
                    descriptor, bytes.baseAddress?.advanced(by: done),
                    min(bytes.count - done, 1 << 30))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count == 0 ? ENOSPC : errno }
                done += count
            }
            return 0
        }
        if code != 0 { throw FileFailure(operation: "write", path: path, code: code) }
    }

    /// Writes all parts in order, with as many calls as necessary.
    static func write(
        _ parts: FileParts, to descriptor: Int32, _ path: String
    ) throws(FileFailure) {
        let code = parts.withParts { blocks -> Int32 in
            var vectors = blocks.filter { !$0.isEmpty }.map {
                iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress),
                    iov_len: $0.count)
            }
            var first = 0
            while first < vectors.count {
                // The maximum number of parts in one call.
                let last = min(first + 1024, vectors.count)
                var count = vectors[first..<last].withUnsafeBufferPointer {
                    writev(descriptor, $0.baseAddress, Int32($0.count))
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count == 0 ? ENOSPC : errno }
                // Linux writes at most 0x7ffff000 bytes, so the rest of a part may be left for the
                // next call.
                while count > 0, count >= vectors[first].iov_len {
                    count -= vectors[first].iov_len
                    first += 1
                }
                if count > 0 {
                    vectors[first].iov_base = vectors[first].iov_base.map { $0 + count }
                    vectors[first].iov_len -= count
                }
            }
            return 0
        }
        if code != 0 { throw FileFailure(operation: "write", path: path, code: code) }
    }

    /// Waits until the file's content is on the medium. Does not follow a symbolic link.
    package static func sync(_ path: String) throws(FileFailure) {
        let descriptor = try openCompanion(path, O_RDONLY)
        defer { close(descriptor) }
        try sync(descriptor, path)
    }

    /// Waits until the folder's entries are on the medium.
    package static func syncFolder(_ path: String) throws(FileFailure) {
        let descriptor = try open(path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        do {
            try sync(descriptor, path)
        } catch {
            // Some file systems do not support synchronizing a folder.
            if error.code != EINVAL { throw error }
        }
    }

    static func sync(_ descriptor: Int32, _ path: String) throws(FileFailure) {
        while fsync(descriptor) != 0 {
            guard errno == EINTR else { throw failure("fsync", path) }
        }
    }

    /// Opens a file. Programs that this process starts do not inherit the descriptor.
    package static func open(_ path: String, _ flags: Int32) throws(FileFailure) -> Int32 {
        while true {
            let descriptor = Foundation.open(path, flags | O_CLOEXEC, 0o600)
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR else { throw failure("open", path) }
        }
    }

    package static func failure(_ operation: String, _ path: String) -> FileFailure {
        FileFailure(operation: operation, path: path, code: errno)
    }
}

/// The kind of file that a path leads to.
package enum FileNature: Sendable, Hashable {
    /// A file that can be read to its end.
    case regularFile(byteCount: Int)
    case folder
    /// Something that may have no end, or wait for a writer. The text names it, with its article.
    case special(String)

    /// Determines what a path leads to. Follows symbolic links. Opens nothing, so it neither waits
    /// for a pipe nor disturbs a device.
    ///
    /// - Throws: a failure with code `ENOENT` if nothing is there, and with the system's code
    ///   otherwise.
    package init(of path: String) throws(FileFailure) {
        self.init(try PosixFile.status(path))
    }

    /// Interprets the result of `stat`.
    package init(_ status: stat) {
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regularFile(byteCount: Int(status.st_size))
            case S_IFDIR: .folder
            case S_IFIFO: .special("a named pipe")
            case S_IFCHR: .special("a character device")
            case S_IFBLK: .special("a block device")
            case S_IFSOCK: .special("a socket")
            default: .special("a special file")
            }
    }
}

extension PosixFile {
    /// Takes an advisory lock on a file (`flock`) with one of its descriptors, without waiting. The
    /// lock excludes locks with other descriptors, even in the same process.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor that holds the lock. Release the lock with ``unlock(_:)`` or
    ///     ``closeUnlocking(_:)``.
    ///   - isShared: whether others may have shared locks at the same time.
    ///   - path: names the file in errors.
    /// - Returns: `false` if a lock with another descriptor excludes this one.
    /// - Throws: the failure of `flock`, for example on a file system without locks.
    package static func lock(
        _ descriptor: Int32, isShared: Bool = false, _ path: String
    ) throws(FileFailure) -> Bool {
        while flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { return false }
            throw failure("flock", path)
        }
        return true
    }

    /// Releases the lock that ``lock(_:isShared:_:)`` took with the descriptor.
    package static func unlock(_ descriptor: Int32) { flock(descriptor, LOCK_UN) }

    /// Releases the lock that was taken with a descriptor, if there is one, and closes the
    /// descriptor.
    ///
    /// Closing alone would not release the lock while a child that was forked without `exec` lives,
    /// because the child has a copy of the descriptor.
    package static func closeUnlocking(_ descriptor: Int32) {
        unlock(descriptor)
        close(descriptor)
    }
}

extension PosixFile {
    /// Returns the paths of the entries in a folder whose names begin with a prefix, to find the files
    /// and folders with temporary names of a process that was killed while it created something.
    /// Returns an empty array if the folder cannot be read.
    ///
    /// - Parameters:
    ///   - folder: the path of the folder. Its subfolders are not searched.
    ///   - prefix: the beginning of the names.
    ///   - isLeftover: returns whether the rest of the name, after the prefix, is that of a
    ///     leftover. A store whose own name begins with the prefix must not be mistaken for a
    ///     leftover.
    package static func leftovers(
        in folder: String, prefix: String, where isLeftover: (Substring) -> Bool
    ) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(prefix) && isLeftover($0.dropFirst(prefix.count)) }
            .map { folder + "/" + $0 }
    }
}
