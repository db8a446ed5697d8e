import CairnStack
import CairnStore
import CairnStoreCopying
import CairnThreads
import Foundation
import Synchronization

extension PersistentStoreCoordinator {
    /// Moves a store to a new location, and to another engine if `type` is another type ("Save As").
    ///
    /// Copies the store with ``StoreCopier``, opens the copy with the same configuration, and replaces
    /// the store in the coordinator with the copy. Contexts notice nothing of it: the IDs of objects lead to
    /// the new store from then on, and unsaved changes are saved to it. The URIs of the IDs change, because
    /// the new store has an identifier of its own. If another coordinator of the process has the old store
    /// open, it keeps that store, but the URIs that it gives are those of the new one until the process ends. A context that is pinned to an earlier state reads the state
    /// that was copied. The old store is closed, and its files stay where they are, without the unsaved
    /// changes. Remove them with ``destroyPersistentStore(at:ofType:)``. Saves to the old store, including
    /// those of other processes, wait until the move has ended. Saves by this coordinator are then made to
    /// the new store.
    ///
    /// - Parameters:
    ///   - store: The store, which must belong to this coordinator.
    ///   - url: The new location, as in `addPersistentStore`. No store may exist there.
    ///   - options: The options, as in `addPersistentStore`.
    ///   - type: The engine of the new store.
    ///   - report: Called after each batch, on the calling thread. Its result decides whether to continue. It
    ///     must not save to the store.
    /// - Throws: `.copyCancelled`, `.unknownStore`, and the errors of ``StoreCopier`` and of
    ///   `addPersistentStore(ofType:configurationName:at:options:)`. The coordinator is then
    ///   unchanged, and nothing is left at the URL.
    @discardableResult
    public func migratePersistentStore(
        _ store: any PersistentStore, to url: URL?, options: StoreOptions = [:], type: StoreType,
        reporting report: (StoreCopyProgress) -> StoreCopyDecision = { _ in .proceed }
    ) throws(GraphError) -> any PersistentStore {
        try exchange(
            store, forStoreOfType: type, at: url, options: options,
            opening: { (engine, request) throws(GraphError) in
                do throws(StoreCopyError) {
                    return try StoreCopier(to: engine, options: request.options)
                        .openCopy(of: store, as: request, reporting: report)
                } catch {
                    throw GraphError(ofCopy: error)
                }
            },
            removing: { engine, location in StoreCopier(to: engine).removeCopy(at: location) })
    }

    /// Moves a store on a background thread. Cancelling the task cancels the move. See
    /// ``migratePersistentStore(_:to:options:type:reporting:)``.
    ///
    /// - Throws: The same errors.
    @discardableResult
    public func migratePersistentStore(
        _ store: any PersistentStore, to url: URL?, options: StoreOptions = [:], type: StoreType,
        reporting report: @escaping @Sendable (StoreCopyProgress) -> StoreCopyDecision = { _ in
            .proceed
        }
    ) async throws(GraphError) -> any PersistentStore {
        try await runCancellable { isCancelled throws(GraphError) in
            try self.migratePersistentStore(store, to: url, options: options, type: type) {
                isCancelled() ? .cancel : report($0)
            }
        }
    }

    /// Runs a body on a background thread. The body is given a function that returns whether the task was cancelled.
    package func runCancellable<Value: Sendable>(
        _ body: @escaping @Sendable (@Sendable () -> Bool) throws(GraphError) -> Value
    ) async throws(GraphError) -> Value {
        let cancellation = CopyCancellation()
        let result: Result<Value, GraphError> = await withTaskCancellationHandler {
            do throws(GraphError) {
                return .success(
                    try await executor.runWaiting { () throws(GraphError) in
                        try body { cancellation.isRequested }
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

/// A flag that indicates whether the task that waits for a copy was cancelled.
private final class CopyCancellation: Sendable {
    private let requested = Atomic(false)

    var isRequested: Bool { requested.load(ordering: .relaxed) }

    func request() { requested.store(true, ordering: .relaxed) }
}
