import CairnStore
import Foundation

/// Files by the calls of POSIX: whole reads, and writes that are durable when they return.
///
/// Foundation's writer is not used: on Linux it restarts after a short write, and syncs no folder.
enum PosixFile {
    /// Reads a whole regular file.
    static func read(_ path: String) throws(FileFailure) -> Data {
        let descriptor = try open(path, O_RDONLY)
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("stat", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileFailure(operation: "read", path: path, code: EINVAL)
        }
        var data = Data(count: Int(status.st_size))
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

    /// Writes a new file that only its owner may read, and waits until the medium has it.
    ///
    /// A file that could not be written whole is removed. The folder's entry is not synced: see
    /// ``syncFolder(_:)``.
    static func write(_ data: Data, toNew path: String) throws(FileFailure) {
        let descriptor = try open(path, O_WRONLY | O_CREAT | O_EXCL)
        let failure = writeAll(data, to: descriptor, path)
        close(descriptor)
        if let failure {
            unlink(path)
            throw failure
        }
    }

    /// Waits until the medium has the file's content.
    static func sync(_ path: String) throws(FileFailure) {
        let descriptor = try open(path, O_RDONLY)
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("fsync", path) }
    }

    /// Waits until the medium has the folder's entries.
    static func syncFolder(_ path: String) throws(FileFailure) {
        let descriptor = try open(path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        // Some file systems know no sync of a folder.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure("fsync", path) }
    }

    /// Makes a folder that only its owner may enter, unless it is there.
    ///
    /// Returns whether it was made.
    static func makeFolder(_ path: String) throws(FileFailure) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        guard errno == EEXIST else { throw failure("mkdir", path) }
        return false
    }

    /// Opens a file; it is closed by programs that this process starts.
    static func open(_ path: String, _ flags: Int32) throws(FileFailure) -> Int32 {
        while true {
            let descriptor = Foundation.open(path, flags | O_CLOEXEC, 0o600)
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR else { throw failure("open", path) }
        }
    }

    static func failure(_ operation: String, _ path: String) -> FileFailure {
        FileFailure(operation: operation, path: path, code: errno)
    }

    private static func writeAll(
        _ data: Data, to descriptor: Int32, _ path: String
    ) -> FileFailure? {
        let failure = data.withUnsafeBytes { bytes -> FileFailure? in
            var done = 0
            while done < bytes.count {
                let count = Foundation.write(
                    descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return Self.failure("write", path) }
                done += count
            }
            return nil
        }
        if let failure { return failure }
        return fsync(descriptor) == 0 ? nil : Self.failure("fsync", path)
    }
}
