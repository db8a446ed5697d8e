import Foundation

/// A file without a name, in the system's folder for temporary files. Its space is free again when the
/// object is released or the process ends, also if it is killed.
///
/// Used by one thread at a time.
package final class ScratchFile {
    private let descriptor: Int32
    private let path: String
    /// The number of bytes that were appended.
    package private(set) var byteCount = 0

    /// Creates an empty file that only its owner could open.
    ///
    /// The folder is that of the variable `TMPDIR`, or else `/var/tmp`, because `/tmp` is in memory on
    /// many systems.
    ///
    /// - Throws: the failure of `open`.
    package init() throws(FileFailure) {
        let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"
        path = "\(folder)/cairn-\(UUID().uuidString)"
        descriptor = try PosixFile.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
        unlink(path)
    }

    deinit { close(descriptor) }

    /// The failure of a reader that finds other bytes than it has appended.
    package var damage: FileFailure { FileFailure(operation: "read", path: path, code: EIO) }

    /// Appends bytes. Returns their offsets.
    ///
    /// - Throws: the failure of `write`. The file cannot be appended to any more.
    package func append(_ bytes: [UInt8]) throws(FileFailure) -> Range<Int> {
        try PosixFile.write(bytes, to: descriptor, path)
        let start = byteCount
        byteCount += bytes.count
        return start..<byteCount
    }

    /// Reads the bytes at offsets that ``append(_:)`` has returned.
    ///
    /// - Throws: the failure of `pread`.
    package func read(_ offsets: Range<Int>) throws(FileFailure) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: offsets.count) { buffer, done in
            while done < offsets.count {
                let count = pread(
                    descriptor, buffer.baseAddress?.advanced(by: done), offsets.count - done,
                    off_t(offsets.lowerBound + done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    code = count < 0 ? errno : EIO
                    return
                }
                done += count
            }
        }
        if code != 0 { throw FileFailure(operation: "read", path: path, code: code) }
        return bytes
    }
}
