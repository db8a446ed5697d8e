import CairnStack
import CairnStore
import CairnStoreCopying
import Foundation

extension PersistentStoreCoordinator {
    /// Copies stores, as they are at one moment between two saves, to a new folder, while this and other programs go on
    /// saving. Core Data has no equivalent method.
    ///
    /// Savers wait only until the state of each store is held, which takes about as long as a small save. Then the
    /// states are copied. Large values and history are part of the copies, and interrupted saves are finished first.
    /// Each copy has the identifier of its store, and can be opened as it is. A store in memory, or of an engine that
    /// cannot copy its stores, is copied row by row to a store of another engine. See
    /// `restore(fromBackup:to:reporting:)`.
    ///
    /// The folder gets its name when it is complete and durable. A crash leaves at most a hidden folder, which the next
    /// backup to the same URL removes. Memory does not grow with the number of objects, unless an engine holds its
    /// stores in memory.
    ///
    /// - Parameters:
    ///   - stores: The stores, which must belong to this coordinator. `nil` means all of its stores.
    ///   - folder: The folder to create. If something exists there, `.destinationExists` is thrown.
    ///   - type: The engine to whose stores rows are copied. Its stores must be files.
    ///   - report: Called with the part of the work that is done, from 0 to 1, on the calling thread. Its result
    ///     decides whether to continue.
    /// - Returns: The files of the copies, in the order of the stores. Of files with similar names, all but the first
    ///   get a number.
    /// - Throws: `.copyCancelled`, `.destinationExists`, `.storesAreNotFiles`, `.unknownStore`; `.store` with `.busy` if
    ///   other saves took longer than the option `timeout`, `.savePending` or `.saveInDoubt` if an earlier save cannot
    ///   be finished, `.folderMissing`, `.unknownType`, `.unsupportedValue`, `.externalDataMissing`, `.corrupt`, or
    ///   `.fileFailure`. No folder is left then.
    @discardableResult
    public func backUp(
        _ stores: [any PersistentStore]? = nil, to folder: URL,
        copyingRowsTo type: StoreType = "Binary",
        reporting report: (Double) -> StoreCopyDecision = { _ in .proceed }
    ) throws(GraphError) -> [URL] {
        let stores = stores ?? persistentStores
        var backup: StoreBackup
        do {
            let engine = try fileEngine(ofType: type)
            backup = try StoreBackup(of: stores.map { ($0, engine) }, to: folder)
        } catch {
            throw self.error(ofCopy: error)
        }
        defer { backup.discard() }
        do {
            try betweenSaves(of: stores) { () throws(StoreError) in try backup.takeStates() }
        } catch .saveCancelled {
            throw .copyCancelled(.file(folder))
        } catch {
            throw error
        }
        do {
            return try backup.run(reporting: report)
        } catch {
            throw self.error(ofCopy: error)
        }
    }

    /// Copies stores on a background thread. Cancelling the task cancels the backup. See
    /// ``backUp(_:to:copyingRowsTo:reporting:)``.
    ///
    /// - Throws: The same errors.
    @discardableResult
    public func backUp(
        _ stores: [any PersistentStore]? = nil, to folder: URL,
        copyingRowsTo type: StoreType = "Binary",
        reporting report: @escaping @Sendable (Double) -> StoreCopyDecision = { _ in .proceed }
    ) async throws(GraphError) -> [URL] {
        try await runCancellable { isCancelled throws(GraphError) in
            try self.backUp(stores, to: folder, copyingRowsTo: type) {
                isCancelled() ? .cancel : report($0)
            }
        }
    }

    /// Replaces stores with their copies in a backup, all of them or none. The backup is not changed.
    ///
    /// First, the copies are verified: each file must have the content that the backup wrote. Then they are copied to
    /// hidden folders beside the stores, and replace the stores. If the process is killed before the first store is
    /// replaced, nothing has changed; after that, the next program that opens one of the stores with a coordinator
    /// finishes the restore.
    ///
    /// - Parameters:
    ///   - folder: The folder that `backUp(_:to:copyingRowsTo:reporting:)` created.
    ///   - urls: The files to replace or create, by the names of the files in the backup. A store that is not listed is
    ///     restored to the URL that it had when it was backed up. If it was not a file, it is left out.
    ///   - report: Called with the part of the work that is done, from 0 to 1, on the calling thread. Its result
    ///     decides whether to continue. After the last call, the stores are replaced.
    /// - Returns: The files that were replaced or created.
    /// - Throws: `.copyCancelled`; `.storeAlreadyAdded` if one of the stores is in this coordinator; `.store` with
    ///   `.corrupt` if a copy is damaged or was changed, `.notFound` if the folder is not a backup or has no file of a
    ///   listed name, `.locked` if a store is open in another coordinator or process, `.savePending` if a save to one of
    ///   the stores is unfinished, `.notAStore` if a file to replace is not a store of the same type, `.folderMissing`,
    ///   `.hardLinked`, `.readOnly`, or `.fileFailure`. The stores are unchanged then. The only exception is a failure
    ///   to replace a store after another one was replaced: the restore is then finished as after a crash.
    @discardableResult
    public func restore(
        fromBackup folder: URL, to urls: [String: URL] = [:],
        reporting report: (Double) -> StoreCopyDecision = { _ in .proceed }
    ) throws(GraphError) -> [URL] {
        var unused = urls
        return try restore(
            fromBackup: folder,
            choosing: { store throws(StoreError) in
                unused[store.name] = nil
                return urls[store.name] ?? store.path.map { URL(fileURLWithPath: $0) }
            },
            checking: { () throws(StoreError) in
                guard let name = unused.keys.min() else { return }
                throw .notFound(.file(folder.appending(path: name)))
            }, reporting: report)
    }

    /// Replaces stores on a background thread. Cancelling the task cancels the restore, unless the stores are being
    /// replaced already. See ``restore(fromBackup:to:reporting:)``.
    ///
    /// - Throws: The same errors.
    @discardableResult
    public func restore(
        fromBackup folder: URL, to urls: [String: URL] = [:],
        reporting report: @escaping @Sendable (Double) -> StoreCopyDecision = { _ in .proceed }
    ) async throws(GraphError) -> [URL] {
        try await runCancellable { isCancelled throws(GraphError) in
            try self.restore(fromBackup: folder, to: urls) {
                isCancelled() ? .cancel : report($0)
            }
        }
    }

    /// Replaces stores, each at a URL that a function chooses. See ``restore(fromBackup:to:reporting:)``.
    ///
    /// - Parameters:
    ///   - choose: Returns the file to replace with a store of the backup, or `nil` to leave out the store.
    ///   - check: Called when all files have been chosen.
    package func restore(
        fromBackup folder: URL,
        choosing choose: (BackupManifest.Store) throws(StoreError) -> URL?,
        checking check: () throws(StoreError) -> Void = {},
        reporting report: (Double) -> StoreCopyDecision
    ) throws(GraphError) -> [URL] {
        let restore: StoreRestore
        do {
            restore = try StoreRestore(
                fromFolder: folder, to: choose, engine: registry.knownEngine)
        } catch {
            throw self.error(ofCopy: error)
        }
        do {
            try check()
        } catch {
            throw GraphError(ofStore: error)
        }
        for url in restore.destinations { try requireNotAdded(url) }
        do {
            try restore.run(reporting: report)
        } catch {
            throw self.error(ofCopy: error)
        }
        return restore.destinations
    }
}
