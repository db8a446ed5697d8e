import CairnModel
import CairnStore
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
        let old = try attached(store)
        let engine = try engine(ofType: type, at: url)
        let location = try Self.location(url, for: engine, named: type)
        let request = try openRequest(location, store.request.configuration, options)
        try beginOpening(location)
        defer { endOpening(location) }
        // Nothing is saved through it: it keeps others from saving what would be lost.
        let savesOfOthers = try GraphError.translating { () throws(StoreError) in
            old.isReadOnly ? nil : try store.beginSave()
        }
        defer { savesOfOthers?.rollback() }
        let new = try openCopy(of: store, engine, request, report)
        try exchange(old, for: new, at: location, engine)
        savesOfOthers?.rollback()
        // The copy is in place whether or not the old store could be closed well.
        try? store.close()
        return new
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

    /// Copies the store to where the request says, and opens the copy.
    private func openCopy(
        of store: any PersistentStore, _ engine: any PersistentStore.Type, _ request: OpenRequest,
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(GraphError) -> any PersistentStore {
        if let service = request.location.service {
            // A copy that failed would leave half of a store there.
            throw .store(
                .unsupported(
                    .service(service), feature: "copying a store to a service",
                    advice: "Add the service's store and save the objects to it."))
        }
        if let url = request.location.fileURL, engine is any FileStore.Type {
            try StoreCopier(to: engine, options: request.options)
                .copy(store, to: url, reporting: report)
            return try removingFiles(of: engine, at: request.location) { () throws(StoreError) in
                try engine.open(request)
            }
        }
        let copy = try GraphError.translating { () throws(StoreError) in try engine.open(request) }
        do throws(GraphError) {
            var filling = try StoreFilling(of: copy, from: store, for: request.location)
            _ = try filling.run(report)
        } catch {
            try? copy.close()
            throw error
        }
        return copy
    }

    /// Puts the new store where the old one was among the coordinator's.
    private func exchange(
        _ old: AttachedStore, for store: any PersistentStore, at location: StoreLocation,
        _ engine: any PersistentStore.Type
    ) throws(GraphError) {
        do throws(GraphError) {
            let new = try AttachedStore(store)
            announceStoresWillChange(added: [store], removed: [old.store])
            let isExchanged = state.withLock { state in
                guard let place = state.stores.firstIndex(where: { $0.number == old.number })
                else { return false }
                state.stores[place] = new
                return true
            }
            if !isExchanged { throw GraphError.unknownStore("\(old.location)") }
            announceStoresDidChange(added: [store], removed: [old.store])
        } catch {
            try? store.close()
            Self.removeFiles(of: engine, at: location)
            throw error
        }
    }

    private func removingFiles<Result>(
        of engine: any PersistentStore.Type, at location: StoreLocation,
        _ body: () throws(StoreError) -> Result
    ) throws(GraphError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            Self.removeFiles(of: engine, at: location)
            throw .store(error)
        }
    }

    /// Removes a store that was made a moment ago.
    private static func removeFiles(
        of engine: any PersistentStore.Type, at location: StoreLocation
    ) {
        guard let url = location.fileURL, let engine = engine as? any FileStore.Type else { return }
        for file in [url] + engine.companionFiles(of: location).map(\.url) {
            try? FileManager.default.removeItem(at: file)
        }
    }
}

/// Whether the task that waits for a copy was cancelled.
private final class CopyCancellation: Sendable {
    private let requested = Atomic(false)

    var isRequested: Bool { requested.load(ordering: .relaxed) }

    func request() { requested.store(true, ordering: .relaxed) }
}
