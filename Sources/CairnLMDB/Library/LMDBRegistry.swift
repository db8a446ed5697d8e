import CairnStore
import Foundation

/// The LMDB files that this process has open.
final class LMDBRegistry: @unchecked Sendable {
    // Unchecked: `entries` is touched under the lock only.

    static let shared = LMDBRegistry()

    private struct Entry {
        /// The one that is open, or the last one if opening the file again has failed.
        var environment: LMDBEnvironment
        var useCount: Int
    }

    /// Held while files are opened and closed, too: closing one drops this process's locks on it.
    private let lock = Lock()
    private var entries: [FileIdentity: Entry] = [:]
    /// Files that are being moved: nobody opens them meanwhile.
    private var reserved: Set<FileIdentity> = []

    /// Returns the right to use a file's environment. Opens the file if nobody has it open, and
    /// opens it again if a failure made its environment unusable; transactions that read through
    /// the unusable one end then.
    ///
    /// - Parameter previous: a use of the file before; the file must still be the same.
    /// - Throws: `.notFound`, `.notAStore`, `.corrupt`, `.readOnly`, `.locked` while the file is
    ///   moved, `.fileFailure`, `.engineFailure`.
    func use(
        _ url: URL, _ settings: LMDBEnvironment.Settings,
        following previous: LMDBEnvironmentUse? = nil
    ) throws(StoreError) -> LMDBEnvironmentUse {
        let path = url.resolvingSymlinksInPath().path
        return try lock.withLock { () throws(StoreError) in
            let file = try FileCheck(path: path, location: StoreLocation.file(url))
            guard previous.map({ $0.identity == file.identity }) ?? true else {
                throw .notFound(.file(url))
            }
            guard !reserved.contains(file.identity) else {
                throw .locked(.file(url), holder: "whoever moves or removes it")
            }
            let environment = try environment(of: file, path, .file(url), settings)
            entries[file.identity]?.useCount += 1
            return LMDBEnvironmentUse(environment, file.identity, self)
        }
    }

    private func environment(
        of file: FileCheck, _ path: String, _ location: StoreLocation,
        _ settings: LMDBEnvironment.Settings
    ) throws(StoreError) -> LMDBEnvironment {
        let previous = entries[file.identity]?.environment
        if let previous, !previous.isUnusable { return previous }
        // One environment for each file: the unusable one goes first.
        previous?.close()
        try file.checkPages()
        var settings = settings
        settings.mapByteCount = max(settings.mapByteCount, file.byteCount)
        let environment = try LMDBEnvironment(
            path: path, location: location, settings: settings,
            isReadOnly: access(path, W_OK) != 0, replacing: previous)
        entries[file.identity, default: Entry(environment: environment, useCount: 0)]
            .environment = environment
        return environment
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
///
/// Keeps the file open. If its environment becomes unusable, the holder asks the registry for a use
/// of the one that replaces it.
final class LMDBEnvironmentUse: Sendable {
    private let registry: LMDBRegistry
    fileprivate let identity: FileIdentity
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
