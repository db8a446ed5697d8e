import CairnFiles
import CairnStore
import Foundation

/// The LMDB files that this process has open.
final class LMDBRegistry: @unchecked Sendable {
    // Unchecked: `entries` and `reserved` are only accessed under the lock.

    static let shared = LMDBRegistry()

    private struct Entry {
        /// The open environment, or the last one if opening the file again has failed.
        var environment: LMDBEnvironment
        var useCount: Int
    }

    /// The lock for the state of the registry. It is also held while files are opened and closed,
    /// because closing a file releases this process's locks on it.
    private let lock = Lock()
    private var entries: [ProcessFile: Entry] = [:]
    /// Files that are being moved. They cannot be opened meanwhile.
    private var reserved: Set<ProcessFile> = []

    /// Returns the right to use a file's environment.
    ///
    /// Opens the file if it is not open in this process. If a failure made its environment
    /// unusable, opens the file again, which ends the transactions that still read through the
    /// unusable environment.
    ///
    /// - Parameter previous: An earlier use of the file. The path must still lead to the same file.
    /// - Throws: `.notFound`, `.notAStore`, `.corrupt`, `.readOnly`; `.locked` while the file is
    ///   being moved, or while a file is in use that was at the path before; `.fileRemoved` and
    ///   `.fileReplaced` if there is a `previous` use; `.fileFailure` or `.engineFailure`.
    func use(
        _ url: URL, _ settings: LMDBEnvironment.Settings,
        following previous: LMDBEnvironmentUse? = nil
    ) throws(StoreError) -> LMDBEnvironmentUse {
        let path = url.followingLinks.path
        return try lock.withLock { () throws(StoreError) in
            if let previous {
                try OpenedFile(at: url.path, previous.file.identity).requireName(of: .file(url))
            }
            let check = try FileCheck(path: path, location: StoreLocation.file(url))
            guard previous.map({ $0.file == check.file }) ?? true else {
                throw .fileReplaced(.file(url), path: url.path)
            }
            guard !reserved.contains(check.file) else {
                throw .locked(.file(url), holder: "a program that is moving or removing it")
            }
            let environment = try environment(of: check, path, .file(url), settings)
            entries[check.file]?.useCount += 1
            return LMDBEnvironmentUse(environment, check.file, self)
        }
    }

    private func environment(
        of check: FileCheck, _ path: String, _ location: StoreLocation,
        _ settings: LMDBEnvironment.Settings
    ) throws(StoreError) -> LMDBEnvironment {
        let previous = entries[check.file]?.environment
        if let previous, !previous.isUnusable { return previous }
        // A file has only one environment, so the unusable one must be closed first.
        previous?.close()
        // A lock file also has only one environment: closing a second one would release the locks.
        guard
            !entries.contains(where: { $0.key != check.file && $0.value.environment.path == path })
        else {
            throw .locked(
                location, holder: "this process, by a store that was at this path before")
        }
        let meta = try check.checkPages()
        var settings = settings
        settings.mapByteCount = max(settings.mapByteCount, check.byteCount)
        // The file's existing tables, and as many new ones as an empty file may get.
        settings.tableCount += meta.tableCount
        let environment = try LMDBEnvironment(
            path: path, location: location, settings: settings,
            isReadOnly: access(path, W_OK) != 0, hasOtherNames: check.linkCount > 1,
            replacing: previous)
        do throws(StoreError) {
            guard environment.identity == check.file.identity else {
                throw .fileReplaced(location, path: path)
            }
            // When an environment is replaced, the lock file was already checked for the previous
            // one.
            if previous == nil { try environment.checkLockFile() }
        } catch {
            environment.close()
            throw error
        }
        entries[check.file, default: Entry(environment: environment, useCount: 0)]
            .environment = environment
        return environment
    }

    /// Runs the body while this process cannot open the file. The file must not be open in this
    /// process.
    func reserving<Result>(
        _ url: URL, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let path = url.followingLinks.path
        let file = try lock.withLock { () throws(StoreError) in
            let file = try ProcessFile(at: path, location: .file(url))
            guard entries[file] == nil, reserved.insert(file).inserted else {
                throw .locked(.file(url), holder: "this process")
            }
            return file
        }
        // If the body removes the file, another file must not get its number while it is reserved.
        let held = try? HeldFile(opening: path, O_RDONLY | O_NONBLOCK)
        defer {
            lock.withLock { _ = reserved.remove(file) }
            withExtendedLifetime(held) {}
        }
        return try body()
    }

    func endUse(_ file: ProcessFile) {
        lock.withLock {
            entries[file]?.useCount -= 1
            guard let entry = entries[file], entry.useCount == 0 else { return }
            entries[file] = nil
            entry.environment.close()
        }
    }
}

/// The right to use an environment. A store, its snapshots and its saves each hold one.
///
/// Keeps the file open. If the environment becomes unusable, the holder asks the registry for the
/// right to use the environment that replaces it.
final class LMDBEnvironmentUse: Sendable {
    private let registry: LMDBRegistry
    let file: ProcessFile
    let environment: LMDBEnvironment

    init(
        _ environment: LMDBEnvironment, _ file: ProcessFile, _ registry: LMDBRegistry
    ) {
        self.environment = environment
        self.file = file
        self.registry = registry
    }

    deinit { registry.endUse(file) }
}

/// A file as opened by one process. A forked child does not share files with its parent.
struct ProcessFile: Hashable, Sendable {
    let identity: FileIdentity
    private let process = getpid()

    init(_ identity: FileIdentity) { self.identity = identity }

    /// Identifies the file that a path leads to.
    init(at path: String, location: StoreLocation) throws(StoreError) {
        do {
            identity = try FileIdentity(at: path)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { throw .notFound(location) }
            throw .fileFailure(error)
        }
    }
}
