import CairnFiles
import CairnThreads
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

    /// A file that is open, or reserved.
    private struct OpenFile {
        /// How often it is open. 0 if nobody may open it now.
        var count = 0
        let saverLine = FairLock()
    }

    private let files = Mutex<[FileIdentity: OpenFile]>([:])

    private init() {}

    /// Notes that the file is about to be opened by such a library. Once for each ``leave(_:)``.
    ///
    /// - Returns: what to hand to ``leave(_:)``.
    /// - Throws: if there is no such file; EBUSY while it is reserved.
    package func enter(_ path: String) throws(FileFailure) -> Entry {
        try files.withLock { (files) throws(FileFailure) -> Entry in
            let (identity, _) = try Self.identify(path)
            if files[identity]?.count == 0 {
                throw FileFailure(operation: "open", path: path, code: EBUSY)
            }
            var file = files[identity] ?? OpenFile()
            file.count += 1
            files[identity] = file
            return Entry(identity: identity, saverLine: file.saverLine)
        }
    }

    /// Keeps the file from being entered, and from being looked at, until ``leave(_:)``.
    ///
    /// - Returns: `nil` if it is open or reserved.
    /// - Throws: if there is no such file.
    package func reserve(_ path: String) throws(FileFailure) -> Entry? {
        try files.withLock { (files) throws(FileFailure) -> Entry? in
            let (identity, _) = try Self.identify(path)
            guard files[identity] == nil else { return nil }
            let file = OpenFile()
            files[identity] = file
            return Entry(identity: identity, saverLine: file.saverLine)
        }
    }

    /// Notes that the library has closed the file, or that it is reserved no more.
    package func leave(_ entry: Entry) {
        files.withLock { files in
            files[entry.identity]?.count -= 1
            if let file = files[entry.identity], file.count <= 0 { files[entry.identity] = nil }
        }
    }

    /// Reads the first bytes of a file, unless it is open through such a library.
    ///
    /// - Throws: if the file cannot be opened or read.
    package func readPrefix(of path: String, byteCount: Int) throws(FileFailure) -> Prefix {
        // The lock is held to the end: the file must not be opened by the library meanwhile.
        try files.withLock { (files) throws(FileFailure) -> Prefix in
            let (identity, nature) = try Self.identify(path)
            if files[identity] != nil { return .isOpen }
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
        /// Where those who save in the file wait for each other, as long as somebody has it open here:
        /// a lock among processes serves nobody in order.
        package let saverLine: FairLock
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
