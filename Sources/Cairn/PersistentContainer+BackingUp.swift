import CairnGraphFiles
import CairnQueries
import CairnStack
import CairnStore
import Foundation

extension PersistentContainer {
    /// Copies all open stores, as they are at one moment between two saves, to a new folder. Cancelling the task cancels
    /// the backup. See `PersistentStoreCoordinator.backUp(_:to:copyingRowsTo:reporting:)`.
    ///
    /// - Throws: The errors of that method.
    @discardableResult
    public func backUp(
        to folder: URL, copyingRowsTo type: StoreType = "Binary",
        reporting report: @escaping @Sendable (Double) -> StoreCopyDecision = { _ in .proceed }
    ) async throws(GraphError) -> [URL] {
        try await persistentStoreCoordinator.backUp(
            to: folder, copyingRowsTo: type, reporting: report)
    }

    /// Replaces the stores of the container's descriptions with their copies in a backup, all of them or none. Call this
    /// before the stores are loaded. Cancelling the task cancels the restore, unless the stores are being replaced
    /// already. See `PersistentStoreCoordinator.restore(fromBackup:to:reporting:)`.
    ///
    /// The copy for a description is the one whose store had the description's URL when it was backed up, or else the
    /// one with the name of its file. A copy of a store that was not a file is left out if no description matches it.
    ///
    /// - Throws: The errors of that method; `.store(.unsupported)` if no description matches another copy.
    @discardableResult
    public func restore(
        fromBackup folder: URL,
        reporting report: @escaping @Sendable (Double) -> StoreCopyDecision = { _ in .proceed }
    ) async throws(GraphError) -> [URL] {
        let urls = persistentStoreDescriptions.compactMap(\.url)
            .filter { $0.isFileURL && !$0.isNullDevice }
        return try await persistentStoreCoordinator.runCancellable {
            isCancelled throws(GraphError) in
            try self.persistentStoreCoordinator.restore(
                fromBackup: folder,
                choosing: { store throws(StoreError) in
                    let url =
                        urls.first { $0.resolvedForComparison.path == store.path }
                        ?? urls.first { $0.lastPathComponent == store.name }
                    if url == nil, store.path != nil {
                        throw .unsupported(
                            .file(folder.appending(path: store.name)),
                            feature: "no description of the container to be restored to",
                            advice: "Add a description of its URL.")
                    }
                    return url
                }, reporting: { isCancelled() ? .cancel : report($0) })
        }
    }
}
