import CairnFiles
import CairnThreads
import Foundation
import Synchronization

/// The files that this process has open through a library that uses POSIX record locks, such as
/// SQLite.
///
/// Closing any descriptor of such a file releases all of the process's locks on it, even if other
/// code opened the descriptor. Another process may then delete a journal that contains acknowledged
/// saves. Therefore Cairn reads the first bytes of files only through
/// ``readPrefix(of:byteCount:)``.
package final class OpenFileRegistry: Sendable {
    /// The registry of this process. There is only one, because the locks belong to the process.
    package static let shared = OpenFileRegistry()

    /// The result of reading the first bytes of a file.
    package enum Prefix: Sendable, Equatable {
        /// The file is open in this process through a library that holds locks. Its kind was known
        /// when it was opened.
        case isOpen
        /// The first bytes, fewer than requested if the file is shorter.
        case bytes([UInt8])
        /// Not a regular file but, for example, a folder or a pipe.
        case notAFile(String)
    }

    /// A file that is open or reserved.
    private struct OpenFile {
        /// How many times the file is open. 0 means that it is reserved and cannot be opened.
        var count = 0
        let saverLock = FairLock()
    }

    private let files = Mutex<[FileIdentity: OpenFile]>([:])

    private init() {}

    /// Records that such a library is about to open the file. Each call is matched by a call of
    /// ``leave(_:)``.
    ///
    /// - Returns: the entry to pass to ``leave(_:)``.
    /// - Throws: a failure if there is no such file, with code EBUSY if it is reserved.
    package func enter(_ path: String) throws(FileFailure) -> Entry {
        try files.withLock { (files) throws(FileFailure) -> Entry in
            let (identity, _) = try Self.identify(path)
            if files[identity]?.count == 0 {
                throw FileFailure(operation: "open", path: path, code: EBUSY)
            }
            var file = files[identity] ?? OpenFile()
            file.count += 1
            files[identity] = file
            return Entry(identity: identity, saverLock: file.saverLock)
        }
    }

    /// Keeps the file from being entered or read until ``leave(_:)`` is called.
    ///
    /// - Returns: `nil` if the file is open or reserved.
    /// - Throws: a failure if there is no such file.
    package func reserve(_ path: String) throws(FileFailure) -> Entry? {
        try files.withLock { (files) throws(FileFailure) -> Entry? in
            let (identity, _) = try Self.identify(path)
            guard files[identity] == nil else { return nil }
            let file = OpenFile()
            files[identity] = file
            return Entry(identity: identity, saverLock: file.saverLock)
        }
    }

    /// Records that the library has closed the file, or ends its reservation.
    ///
    /// - Parameter close: closes a descriptor of the reserved file. No one can enter or read the file
    ///   before this.
    package func leave(_ entry: Entry, closingWith close: () -> Void = {}) {
        files.withLock { files in
            close()
            files[entry.identity]?.count -= 1
            if let file = files[entry.identity], file.count <= 0 { files[entry.identity] = nil }
        }
    }

    /// Reads the first bytes of a file, unless the file is open through such a library.
    ///
    /// - Throws: a failure if the file cannot be opened or read.
    package func readPrefix(of path: String, byteCount: Int) throws(FileFailure) -> Prefix {
        // Hold the lock until the end, so that the library cannot open the file in the meantime.
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

    /// The use of a file that was entered or reserved.
    package struct Entry: Sendable {
        /// The file that the path led to when it was entered.
        package let identity: FileIdentity
        /// The lock at which savers in this process wait for each other while the file is open
        /// here. File locks between processes do not keep the order of those that wait.
        package let saverLock: FairLock
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

extension OpenedFile {
    /// Checks that the path still leads to the file that was opened.
    ///
    /// An engine that changes its file in place calls this twice in each save: after it has taken
    /// the store's write lock, and again after the commit is durable but before it is acknowledged.
    /// The cost is one call of `stat`.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.fileFailure`.
    package func requireName(of location: StoreLocation) throws(StoreError) {
        _ = try linkCount(at: location)
    }

    /// Checks that the path still leads to the file that was opened, and that the file has no other
    /// name.
    ///
    /// Every engine with files calls this when it opens a store for writing, when it begins a save
    /// and before it commits: locks and logs are found by the store's name, so users of two names
    /// would not see each other's, and a file that is replaced leaves its other names with the old
    /// content. The cost is one call of `stat`.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.hardLinked`, `.fileFailure`.
    package func requireOnlyName(of location: StoreLocation) throws(StoreError) {
        let linkCount = try linkCount(at: location)
        guard linkCount <= 1 else { throw .hardLinked(location, linkCount: linkCount) }
    }

    /// Checks that the file at a path has only one name. See ``requireOnlyName(of:)``.
    ///
    /// - Throws: `.fileRemoved`, `.hardLinked`, `.fileFailure`.
    package static func requireOnlyName(
        at path: String, of location: StoreLocation
    ) throws(StoreError) {
        let file: OpenedFile
        do {
            file = try OpenedFile(at: path)
        } catch {
            guard [ENOENT, ENOTDIR].contains(error.code) else { throw .fileFailure(error) }
            throw .fileRemoved(location, path: path)
        }
        try file.requireOnlyName(of: location)
    }

    private func linkCount(at location: StoreLocation) throws(StoreError) -> Int {
        switch try StoreError.onFiles(try name()) {
        case .theFile(let linkCount): return linkCount
        case .anotherFile: throw .fileReplaced(location, path: path)
        case .nothing: throw .fileRemoved(location, path: path)
        }
    }
}
