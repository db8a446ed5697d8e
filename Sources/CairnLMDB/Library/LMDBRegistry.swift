import CairnFiles
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
    private var entries: [ProcessFile: Entry] = [:]
    /// Files that are being moved: nobody opens them meanwhile.
    private var reserved: Set<ProcessFile> = []

    /// Returns the right to use a file's environment. Opens the file if nobody has it open, and
    /// opens it again if a failure made its environment unusable; transactions that read through
    /// the unusable one end then.
    ///
    /// - Parameter previous: a use of the file before; the path must still lead to that file.
    /// - Throws: `.notFound`, `.notAStore`, `.corrupt`, `.readOnly`; `.locked` while the file is
    ///   moved, or while somebody uses a file that stood at the path before; with `previous`
    ///   `.fileRemoved` and `.fileReplaced`; `.fileFailure`, `.engineFailure`.
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
                throw .locked(.file(url), holder: "whoever moves or removes it")
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
        // One environment for each file: the unusable one goes first.
        previous?.close()
        // One for each lock file, too: closing a second one drops this process's locks on it.
        guard
            !entries.contains(where: { $0.key != check.file && $0.value.environment.path == path })
        else {
            throw .locked(
                location, holder: "this process, by a store that was at this path before")
        }
        let meta = try check.checkPages()
        var settings = settings
        settings.mapByteCount = max(settings.mapByteCount, check.byteCount)
        // The tables that the file has, and as many new ones as an empty file may get.
        settings.tableCount += meta.tableCount
        let environment = try LMDBEnvironment(
            path: path, location: location, settings: settings,
            isReadOnly: access(path, W_OK) != 0, hasOtherNames: check.linkCount > 1,
            replacing: previous)
        do throws(StoreError) {
            guard environment.identity == check.file.identity else {
                throw .fileReplaced(location, path: path)
            }
            // An environment that is replaced had the right one.
            if previous == nil { try environment.checkLockFile() }
        } catch {
            environment.close()
            throw error
        }
        entries[check.file, default: Entry(environment: environment, useCount: 0)]
            .environment = environment
        return environment
    }

    /// Keeps this process from opening a file, which it must not have open, during the body.
    ///
    /// - Throws: `.locked`, `.notFound`, `.notAStore` for what is no file; what the body throws.
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
        defer { lock.withLock { _ = reserved.remove(file) } }
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
