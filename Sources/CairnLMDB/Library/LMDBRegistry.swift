import CairnStore
import Foundation

/// The LMDB files that this process has open.
final class LMDBRegistry: @unchecked Sendable {
    // Unchecked: `entries` is touched under the lock only.

    static let shared = LMDBRegistry()

    private struct Entry {
        let environment: LMDBEnvironment
        var useCount: Int
    }

    /// Held while files are opened and closed, too: closing one drops this process's locks on it.
    private let lock = Lock()
    private var entries: [FileIdentity: Entry] = [:]
    /// Files that are being moved: nobody opens them meanwhile.
    private var reserved: Set<FileIdentity> = []

    /// Returns the right to use a file's environment, opening it where nobody else has.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.corrupt`, `.readOnly`, `.locked` while the file is
    ///   moved, `.fileFailure`, `.engineFailure`.
    func use(
        _ url: URL, _ settings: LMDBEnvironment.Settings
    ) throws(StoreError) -> LMDBEnvironmentUse {
        let path = url.resolvingSymlinksInPath().path
        return try lock.withLock { () throws(StoreError) in
            let file = try FileCheck(path: path, location: StoreLocation.file(url))
            guard !reserved.contains(file.identity) else {
                throw .locked(.file(url), holder: "whoever moves or removes it")
            }
            if entries[file.identity] == nil {
                let meta = try file.checkPages()
                entries[file.identity] = Entry(
                    environment: try open(
                        path, StoreLocation.file(url), settings, fileByteCount: file.byteCount,
                        tableCount: meta.tableCount),
                    useCount: 0)
            }
            guard let entry = entries[file.identity] else { throw .notFound(.file(url)) }
            entries[file.identity]?.useCount += 1
            return LMDBEnvironmentUse(entry.environment, file.identity, self)
        }
    }

    /// Keeps this process from opening a file, which it must not have open, during the body.
    ///
    /// - Throws: `.locked`, `.notFound`, `.notAStore` for what is no file; what the body throws.
    func reserving<Result>(
        _ url: URL, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let path = url.resolvingSymlinksInPath().path
        let identity = try lock.withLock { () throws(StoreError) in
            let identity = try FileIdentity(path: path, location: .file(url))
            guard entries[identity] == nil, reserved.insert(identity).inserted else {
                throw .locked(.file(url), holder: "this process")
            }
            return identity
        }
        defer { lock.withLock { _ = reserved.remove(identity) } }
        return try body()
    }

    private func open(
        _ path: String, _ location: StoreLocation, _ settings: LMDBEnvironment.Settings,
        fileByteCount: Int, tableCount: Int
    ) throws(StoreError) -> LMDBEnvironment {
        var settings = settings
        settings.mapByteCount = max(settings.mapByteCount, fileByteCount)
        // The tables that the file has, and as many new ones as an empty file may get.
        settings.tableCount += tableCount
        let isReadOnly = access(path, W_OK) != 0
        return try LMDBEnvironment(
            path: path, location: location, settings: settings, isReadOnly: isReadOnly)
    }

    fileprivate func endUse(_ identity: FileIdentity) {
        lock.withLock {
            entries[identity]?.useCount -= 1
            guard let entry = entries[identity], entry.useCount == 0 else { return }
            entries[identity] = nil
            entry.environment.close()
        }
    }
}

/// The right to use an environment: held by a store and by each of its snapshots and saves.
final class LMDBEnvironmentUse: Sendable {
    private let registry: LMDBRegistry
    private let identity: FileIdentity
    let environment: LMDBEnvironment

    fileprivate init(
        _ environment: LMDBEnvironment, _ identity: FileIdentity, _ registry: LMDBRegistry
    ) {
        self.environment = environment
        self.identity = identity
        self.registry = registry
    }

    deinit { registry.endUse(identity) }
}
