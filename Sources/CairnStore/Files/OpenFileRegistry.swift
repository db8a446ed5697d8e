import CairnFiles
import Foundation
import Synchronization

/// The files that this process has open through a library with POSIX record locks (SQLite).
///
/// Closing any descriptor of such a file drops all of the process's locks on it, whoever opened
/// it; another process may then delete a journal that holds acknowledged saves. So no code of ours
/// opens a file to look at its first bytes but through ``readPrefix(of:byteCount:)``.
package final class OpenFileRegistry: Sendable {
    /// The one of this process, as the locks are.
    package static let shared = OpenFileRegistry()

    /// What a look at a file found.
    package enum Prefix: Sendable, Equatable {
        /// The file is open here through a library with locks; what it is was known then.
        case isOpen
        /// The first bytes; fewer than were asked for where the file is shorter.
        case bytes([UInt8])
        /// Something other than a regular file: a folder, a pipe, ….
        case notAFile(String)
    }

    /// How often each file is open; 0: nobody may open it now.
    private let counts = Mutex<[FileIdentity: Int]>([:])

    private init() {}

    /// Notes that the file is about to be opened by such a library. Once for each ``leave(_:)``.
    ///
    /// - Returns: what to hand to ``leave(_:)``.
    /// - Throws: where there is no such file; EBUSY while it is reserved.
    package func enter(_ path: String) throws(FileFailure) -> Entry {
        try counts.withLock { (counts) throws(FileFailure) -> Entry in
            let (identity, _) = try Self.identify(path)
            if counts[identity] == 0 {
                throw FileFailure(operation: "open", path: path, code: EBUSY)
            }
            counts[identity, default: 0] += 1
            return Entry(identity: identity)
        }
    }

    /// Keeps the file from being entered, and from being looked at, until ``leave(_:)``.
    ///
    /// - Returns: nil where it is open or reserved.
    /// - Throws: where there is no such file.
    package func reserve(_ path: String) throws(FileFailure) -> Entry? {
        try counts.withLock { (counts) throws(FileFailure) -> Entry? in
            let (identity, _) = try Self.identify(path)
            guard counts[identity] == nil else { return nil }
            counts[identity] = 0
            return Entry(identity: identity)
        }
    }

    /// Notes that the library has closed the file, or that it is reserved no more.
    package func leave(_ entry: Entry) {
        counts.withLock { counts in
            let count = (counts[entry.identity] ?? 1) - 1
            counts[entry.identity] = count > 0 ? count : nil
        }
    }

    /// Reads the first bytes of a file, unless it is open through such a library.
    ///
    /// - Throws: where the file cannot be opened or read.
    package func readPrefix(of path: String, byteCount: Int) throws(FileFailure) -> Prefix {
        // The lock is held to the end: the file must not be opened by the library meanwhile.
        try counts.withLock { (counts) throws(FileFailure) -> Prefix in
            let (identity, nature) = try Self.identify(path)
            if counts[identity] != nil { return .isOpen }
            switch nature {
            case .regularFile: return .bytes(try Self.read(path, byteCount))
            case .folder: return .notAFile("a folder")
            case .special(let name): return .notAFile(name)
            }
        }
    }

    /// A file that was entered.
    package struct Entry: Sendable {
        /// The file, as its name led to it when it was entered.
        package let identity: FileIdentity
    }

    private static func identify(
        _ path: String
    ) throws(FileFailure) -> (FileIdentity, FileNature) {
        let status = try PosixFile.status(path)
        return (FileIdentity(status), FileNature(status))
    }

    private static func read(_ path: String, _ byteCount: Int) throws(FileFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw FileFailure(operation: "open", path: path, code: errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        var done = 0
        while done < byteCount {
            let count = bytes.withUnsafeMutableBytes { buffer in
                Foundation.read(
                    descriptor, buffer.baseAddress?.advanced(by: done), byteCount - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw FileFailure(operation: "read", path: path, code: errno)
            }
            if count == 0 { break }
            done += count
        }
        return Array(bytes.prefix(done))
    }
}
