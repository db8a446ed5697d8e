import CairnModel
import CairnStore
import Foundation

extension PersistentStoreCoordinator {
    /// Opens a store with the same objects, and replaces one of this coordinator's stores with it. The old
    /// store is closed.
    ///
    /// The new store takes over the number of the old one, so that the IDs of all objects lead to it, in all
    /// contexts. Saves of the old store, including those of other processes, wait until the exchange has
    /// ended. Saves by this coordinator are then made to the new store. The new store has the same
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
        do {
            savesOfOthers = try old.keepOthersFromSaving()
        } catch {
            throw GraphError(ofStore: error)
        }
        defer { savesOfOthers?.rollback() }
        let directory = StoreDirectory.shared
        directory.beginSuccession(of: old.number, at: opener.request.location)
        // Has no effect after the exchange.
        defer { directory.endSuccession(at: opener.request.location, isComplete: false) }
        let new = try open(opener.engine, opener.request)
        do {
            // Another thread may have removed the store.
            _ = try attached(store)
            try continueKeys(of: savesOfOthers, in: new)
            try replaceInList(new, of: old, opener.options)
        } catch {
            try? new.close()
            remove(opener.engine, opener.request.location)
            throw error
        }
        directory.endSuccession(at: opener.request.location, isComplete: true)
        savesOfOthers?.rollback()
        old.recentSnapshots.forgetAll()
        // The exchange has succeeded, even if the old store cannot be closed.
        try? store.close()
        return new
    }

    /// Makes the new store assign no key that the old one has assigned: new objects may have permanent IDs
    /// already, and IDs of deleted objects may still be in use.
    ///
    /// - Parameter old: A transaction of the old store. `nil` if the store is read-only.
    private func continueKeys(
        of old: (any SaveTransaction)?, in new: any PersistentStore
    ) throws(GraphError) {
        guard let old, !new.request.isReadOnly else { return }
        do {
            let roots = Set(
                try CompatibilityCheck.entities(of: new.request).map(\.rootEntity.number))
            let one = Dictionary(uniqueKeysWithValues: roots.map { ($0, 1) })
            let next = try old.reserveKeys(one)
            let begun = try new.beginSave(reserving: one)
            defer { begun.transaction.rollback() }
            var missing: [EntityNumber: Int] = [:]
            for (root, keys) in next {
                guard let known = begun.keys[root], known.upperBound < keys.lowerBound else {
                    continue
                }
                missing[root] = Int(keys.lowerBound - known.upperBound)
            }
            if missing.isEmpty { return }
            _ = try begun.transaction.reserveKeys(missing)
            try begun.transaction.prepare(SaveRequest())
            _ = try begun.transaction.commit()
        } catch {
            throw GraphError(ofSave: error)
        }
    }

    /// Replaces the old store with the new one in the coordinator's list.
    private func replaceInList(
        _ store: any PersistentStore, of old: AttachedStore, _ options: CoordinatorOptions
    ) throws(GraphError) {
        let opened: OpenedStore
        do {
            opened = try OpenedStore(store)
        } catch {
            throw GraphError(ofOpening: error)
        }
        let (new, generation) = try attachable(opened, options, at: old.position)
        announceStoresWillChange(added: [store], removed: [old.store])
        let pinned = try pinnedStates(of: old, asIn: new)
        let isExchanged = state.withLock { state in
            guard let index = state.stores.firstIndex(where: { $0 === old }) else { return false }
            state.stores[index] = new
            return true
        }
        if !isExchanged {
            for (_, member) in pinned { member.snapshot.end() }
            throw GraphError.unknownStore("\(old.location)")
        }
        old.noteReplaced()
        for (pinnedState, member) in pinned { pinnedState.replace(old, with: member) }
        old.watch?.end()
        if let generation { watch(new, after: generation) }
        if new.number == old.number {
            contexts.forEach { $0.tell(replacedStores: [old.number]) }
        } else {
            // An engine of another module may number its stores in its own way.
            tellContexts(ofRemoved: old)
        }
        announceStoresDidChange(
            added: [store], removed: [old.store], exchanged: [old.store, store])
    }
}

// MARK: Pinned states

extension PersistentStoreCoordinator {
    struct WeakPinnedState {
        weak var pinned: PinnedState?
    }

    /// Pins states of stores. If one of the stores is replaced later, its successor's state is read instead.
    func pin(_ snapshots: SnapshotSet) -> PinnedState {
        let pinned = PinnedState(snapshots)
        state.withLock { state in
            // Usually half of the states were released since the last time.
            if state.pinnedStates.count == state.pinnedStates.capacity {
                state.pinnedStates.removeAll { $0.pinned == nil }
                state.pinnedStates.reserveCapacity(2 * state.pinnedStates.count + 8)
            }
            state.pinnedStates.append(WeakPinnedState(pinned: pinned))
        }
        return pinned
    }

    /// Returns the pinned states that include a store, each with the state of a new store to read instead.
    ///
    /// - Throws: `.store`.
    private func pinnedStates(
        of old: AttachedStore, asIn new: AttachedStore
    ) throws(GraphError) -> [(PinnedState, SnapshotSet.Member)] {
        let all = state.withLock { $0.pinnedStates.compactMap(\.pinned) }
        var found: [(PinnedState, SnapshotSet.Member)] = []
        do {
            for pinned in all
            where pinned.snapshots.members.contains(where: { $0.attached === old }) {
                found.append(
                    (pinned, SnapshotSet.Member(attached: new, snapshot: try new.snapshot())))
            }
        } catch {
            for (_, member) in found { member.snapshot.end() }
            throw GraphError(ofStore: error)
        }
        return found
    }
}
