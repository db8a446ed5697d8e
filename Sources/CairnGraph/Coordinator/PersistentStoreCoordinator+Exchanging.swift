import CairnModel
import CairnStore
import Foundation

extension PersistentStoreCoordinator {
    /// Opens a store and replaces one of this coordinator's stores with it. The old store is closed.
    ///
    /// Saves of the old store, including those of other processes, wait until the exchange has ended.
    /// Saves by this coordinator then fail because the store is gone. The new store has the same
    /// configuration. After an error, the coordinator is unchanged.
    ///
    /// - Parameters:
    ///   - store: The store to replace, which must belong to this coordinator.
    ///   - type: The engine of the new store.
    ///   - url: The location, as in `addPersistentStore`.
    ///   - options: The options, as in `addPersistentStore`.
    ///   - open: Opens the new store as requested. It must not save to the old store.
    ///   - remove: Called if the new store was opened but could not replace the old one. The new store
    ///     is closed before this call.
    /// - Throws: `.unknownStore`; the errors of `open`; the errors of
    ///   ``addPersistentStore(ofType:configurationName:at:options:)``.
    package func exchange(
        _ store: any PersistentStore, forStoreOfType type: StoreType, at url: URL?,
        options: StoreOptions,
        opening open: (
            _ engine: any PersistentStore.Type, _ request: OpenRequest
        ) throws(GraphError) -> any PersistentStore,
        removing remove: (_ engine: any PersistentStore.Type, _ location: StoreLocation) -> Void
    ) throws(GraphError) -> any PersistentStore {
        let old = try attached(store)
        let opener = try opener(type, store.request.configuration, url, options)
        let resolvedLocation = try beginOpening(opener.request.location)
        defer { endOpening(resolvedLocation) }
        // Without this, others could save changes that the exchange would lose.
        let savesOfOthers: (any SaveTransaction)?
        do throws(StoreError) {
            savesOfOthers = try old.keepOthersFromSaving()
        } catch {
            throw GraphError(ofStore: error)
        }
        defer { savesOfOthers?.rollback() }
        let new = try open(opener.engine, opener.request)
        do throws(GraphError) {
            try replaceInList(new, of: old, opener.options)
        } catch {
            try? new.close()
            remove(opener.engine, opener.request.location)
            throw error
        }
        savesOfOthers?.rollback()
        // The exchange has succeeded, even if the old store cannot be closed.
        try? store.close()
        return new
    }

    /// Replaces the old store with the new one in the coordinator's list.
    private func replaceInList(
        _ store: any PersistentStore, of old: AttachedStore, _ options: CoordinatorOptions
    ) throws(GraphError) {
        let opened: OpenedStore
        do throws(StoreError) {
            opened = try OpenedStore(store)
        } catch {
            throw GraphError(ofOpening: error)
        }
        let (new, generation) = try attachable(opened, options, at: old.place)
        announceStoresWillChange(added: [store], removed: [old.store])
        let isExchanged = state.withLock { state in
            guard let index = state.stores.firstIndex(where: { $0.number == old.number })
            else { return false }
            state.stores[index] = new
            return true
        }
        if !isExchanged { throw GraphError.unknownStore("\(old.location)") }
        old.watch?.end()
        if let generation { watch(new, after: generation) }
        tellContexts(ofRemoved: old)
        announceStoresDidChange(
            added: [store], removed: [old.store], exchanged: [old.store, store])
    }
}
