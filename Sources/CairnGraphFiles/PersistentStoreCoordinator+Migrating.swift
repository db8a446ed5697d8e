import CairnGraph
import CairnStore
import CairnStoreCopying
import CairnThreads
import Foundation
import Synchronization

extension PersistentStoreCoordinator {
    /// Moves a store to a new place, and to another engine where the type is another one.
    ///
    /// Copies the store (``StoreCopier``), opens the copy with the same configuration, and has it
    /// take the store's place in the coordinator. Keys and versions of objects stay; their IDs are
    /// new, because the store is: fetch them again. The old store is closed, its files stay where
    /// they are; remove them with ``destroyPersistentStore(at:ofType:)``. Saves to it wait until the
    /// end, those of other processes too, and those of this coordinator then find no store.
    ///
    /// - Parameters:
    ///   - url: as `addPersistentStore` takes it; no store may be there.
    ///   - options: as `addPersistentStore` takes them.
    ///   - report: told after each batch, on the calling thread; decides whether to go on. Must not
    ///     save to the store.
    /// - Throws: `.copyCancelled`, `.unknownStore`; what ``StoreCopier`` throws and
    ///   ``addPersistentStore(ofType:configurationName:at:options:)`` does. The coordinator is as
    ///   it was, and nothing is at the URL.
    @discardableResult
    public func migratePersistentStore(
        _ store: any PersistentStore, to url: URL?, options: StoreOptions = [:], type: StoreType,
        reporting report: (StoreCopyProgress) -> StoreCopyDecision = { _ in .goOn }
    ) throws(GraphError) -> any PersistentStore {
        try exchange(
            store, forStoreOfType: type, at: url, options: options,
            opening: { (engine, request) throws(GraphError) in
                try GraphError.translating { () throws(StoreCopyError) in
                    try StoreCopier(to: engine, options: request.options)
                        .openCopy(of: store, as: request, reporting: report)
                }
            },
            removing: { engine, location in StoreCopier(to: engine).removeCopy(at: location) })
    }

    /// Moves a store on a background thread; see
    /// ``migratePersistentStore(_:to:options:type:reporting:)``. Cancelling the task cancels it.
    ///
    /// - Throws: as there.
    @discardableResult
    public func migratePersistentStore(
        _ store: any PersistentStore, to url: URL?, options: StoreOptions = [:], type: StoreType,
        reporting report: @escaping @Sendable (StoreCopyProgress) -> StoreCopyDecision = { _ in
            .goOn
        }
    ) async throws(GraphError) -> any PersistentStore {
        let cancellation = CopyCancellation()
        let result: Result<any PersistentStore, GraphError> = await withTaskCancellationHandler {
            do throws(GraphError) {
                return .success(
                    try await executor.runWaiting { () throws(GraphError) in
                        try self.migratePersistentStore(
                            store, to: url, options: options, type: type
                        ) { cancellation.isRequested ? .cancel : report($0) }
                    })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            cancellation.request()
        }
        return try result.get()
    }
}

/// Whether the task that waits for a copy was cancelled.
private final class CopyCancellation: Sendable {
    private let requested = Atomic(false)

    var isRequested: Bool { requested.load(ordering: .relaxed) }

    func request() { requested.store(true, ordering: .relaxed) }
}
