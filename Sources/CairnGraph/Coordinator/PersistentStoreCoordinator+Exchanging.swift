import CairnModel
import CairnStore
import Foundation

extension PersistentStoreCoordinator {
    /// Opens a store and puts it in the place of one of this coordinator's, which is closed.
    ///
    /// Saves to the old store wait until the end, those of other processes too; those of this
    /// coordinator then find no store. The new store holds the entities of the same configuration.
    /// After an error the coordinator is as it was.
    ///
    /// - Parameters:
    ///   - type: the engine of the new store.
    ///   - url: as `addPersistentStore` takes it.
    ///   - options: as `addPersistentStore` takes them.
    ///   - open: opens the new store as the request says. It must not save to the old one.
    ///   - remove: called if the new store was opened and could not take the old one's place; the
    ///     new store is closed by then.
    /// - Throws: `.unknownStore`, what `open` throws, and what
    ///   ``addPersistentStore(ofType:configurationName:at:options:)`` throws.
    package func exchange(
        _ store: any PersistentStore, forStoreOfType type: StoreType, at url: URL?,
        options: StoreOptions,
        opening open: (
            _ engine: any PersistentStore.Type, _ request: OpenRequest
        ) throws(GraphError) -> any PersistentStore,
        removing remove: (_ engine: any PersistentStore.Type, _ location: StoreLocation) -> Void
    ) throws(GraphError) -> any PersistentStore {
        let old = try attached(store)
        let engine = try engine(ofType: type, at: url)
        let location = try Self.location(url, for: engine, named: type)
        let own = try coordinatorOptions(options)
        let request = try openRequest(location, store.request.configuration, own)
        let place = try beginOpening(location)
        defer { endOpening(place) }
        // Nothing is saved through it: it keeps others from saving what would be lost.
        let savesOfOthers = try GraphError.translating { () throws(StoreError) in
            old.isReadOnly ? nil : try store.beginSave()
        }
        defer { savesOfOthers?.rollback() }
        try GraphError.translating { () throws(StoreError) in
            try old.location.requireNoPendingSave()
        }
        let new = try open(engine, request)
        do throws(GraphError) {
            try putInPlace(new, of: old, own)
        } catch {
            try? new.close()
            remove(engine, location)
            throw error
        }
        savesOfOthers?.rollback()
        // The new store is in place whether or not the old one could be closed well.
        try? store.close()
        return new
    }

    /// Puts the new store where the old one was among the coordinator's.
    private func putInPlace(
        _ store: any PersistentStore, of old: AttachedStore, _ options: CoordinatorOptions
    ) throws(GraphError) {
        let new = try AttachedStore(
            try OpenedStore(store), recovery: registry.recovery(for: store.request, options),
            postsRemoteChanges: options.postsRemoteChanges)
        let generation = try newestGenerationToWatch(new)
        announceStoresWillChange(added: [store], removed: [old.store])
        let isExchanged = state.withLock { state in
            guard let place = state.stores.firstIndex(where: { $0.number == old.number })
            else { return false }
            state.stores[place] = new
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
