import CairnModel
import CairnRows
import CairnStore
import Foundation

extension PersistentStoreCoordinator: StateReading {
    package var feed: ContextFeed? { contexts }
    package var coordinator: PersistentStoreCoordinator? { self }
    var stack: PersistentStoreCoordinator { self }

    package func refreshCache(olderThan age: Duration) throws(GraphError) {
        for attached in attachedStores where attached.rowCache.isOlder(than: age) {
            // Taking a snapshot informs the cache of the newest state.
            try withState(of: attached.number, isNewest: true) { _ in }
        }
    }

    package func fetchKeepingState(
        _ plan: FetchPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> (rows: RowBatch, state: any ObjectSource) {
        // Only references lead to other stores than those of the fetch.
        try StoreDeadline.with(plan.deadline) { () throws(GraphError) in
            try withCurrentStores { list throws(GraphError) in
                let holders = try list.stores(holding: plan, among: stores)
                let chosen = managedObjectModel.hasReferences ? list.stores : holders
                let source = PinnedSource(self, pin(try snapshots(of: chosen)))
                return (try source.fetch(plan, in: stores), source)
            }
        }
    }

    func snapshots(of stores: [AttachedStore]) throws(GraphError) -> SnapshotSet {
        do {
            return try SnapshotSet.take(of: stores, gate: commitGate)
        } catch {
            throw GraphError(ofStore: error)
        }
    }

    package func release(_ states: SnapshotSet) { states.end() }

    func withState<Result>(
        of store: StoreNumber, isNewest: Bool,
        _ body: (StoreReading) throws(StoreError) -> Result
    ) throws(GraphError) -> Result {
        let attached = try attachedStore(numbered: store)
        do {
            return try attached.read(isNewest: isNewest) { snapshot throws(StoreError) in
                try body(attached.reading(snapshot))
            }
        } catch .closed where attached.isReplaced {
            return try withState(of: store, isNewest: isNewest, body)
        } catch {
            throw GraphError(ofStore: error)
        }
    }

    func cachedRows(
        for ids: [ObjectID], of store: StoreNumber
    ) throws(GraphError) -> (found: [Row], missing: [ObjectID]) {
        try attachedStore(numbered: store).rowCache.rows(for: ids)
    }

    package func row(for id: ObjectID) throws(GraphError) -> Row? {
        let attached = try attachedStore(numbered: id.store)
        if let row = attached.rowCache.row(for: id) { return row }
        return try monitor.measure(
            .fault, logMetadata([id]), rows: { $0 == nil ? 0 : 1 }
        ) { () throws(GraphError) in
            // The newest known state may be older than the object. Only the newest state shows that it is gone.
            if let row = try row(for: id, in: attached, isNewest: false) { return row }
            return try row(for: id, in: attached, isNewest: true)
        }
    }

    /// Does not use `withState`, because every fault that the cache does not contain calls this.
    private func row(
        for id: ObjectID, in attached: AttachedStore, isNewest: Bool
    ) throws(GraphError) -> Row? {
        do {
            return try attached.read(isNewest: isNewest) { snapshot throws(StoreError) in
                let row = try snapshot.row(for: id)
                if let row { attached.rowCache.insert(row, from: snapshot.generation) }
                return row
            }
        } catch .closed where attached.isReplaced {
            return try row(for: id)
        } catch {
            throw GraphError(ofStore: error)
        }
    }

    package func save(
        _ changes: ChangeSet, of objects: any ChangedObjects
    ) throws(GraphError) -> SaveResult {
        try save(changes.counts) { stores throws(GraphError) in
            var save = CoordinatedSave(
                changes: changes, objects: objects, journalModel: journalModel,
                references: referenceRules, stores: stores, commitGate: commitGate)
            return try save.run()
        }
    }

    /// Saves a batch. If it has parts, they are written one after the other, but only if they are for one store that
    /// groups saves. Otherwise, and if unique values or references cannot be checked part by part, all of it is read
    /// into memory.
    ///
    /// - Throws: as for the save of a context.
    package func save(_ batch: BatchContent) throws(GraphError) {
        let result = try save(batch.counts) { stores throws(GraphError) in
            let parts = try BatchParts(of: batch, in: stores, referenceRules)
            if parts == nil { try batch.load() }
            var save = CoordinatedSave(
                changes: batch.changes, objects: batch, journalModel: journalModel,
                references: referenceRules, stores: stores, commitGate: commitGate)
            save.parts = parts
            return try save.run()
        }
        if let pending = result.pending { throw .savePending(pending) }
    }

    private func save(
        _ counts: ChangeSet.Counts, _ run: (StoreList) throws(GraphError) -> SaveResult
    ) throws(GraphError) -> SaveResult {
        let result = try monitor.measure(.save, counts.logMetadata) { () throws(GraphError) in
            try withCurrentStores(run)
        }
        monitor.metrics.recordSaved(counts)
        if let pending = result.pending { monitor.notePendingSave(pending) }
        return result
    }

    package func permanentIDs(
        for temporary: [ObjectID], assignments: [ObjectID: StoreNumber]
    ) throws(GraphError) -> [ObjectID] {
        var newObjects = ChangeSet()
        newObjects.inserted = temporary.filter(\.isTemporary)
        newObjects.assignments = assignments
        return try withCurrentStores { stores throws(GraphError) in
            let saves = try StoreSave.split(newObjects, among: stores)
            var permanent = IDReplacements(minimumCapacity: newObjects.inserted.count)
            do throws(StoreError) {
                for save in saves { try save.reserveKeys(&permanent) }
            } catch {
                throw GraphError(ofSave: error)
            }
            return temporary.map { permanent[$0] ?? $0 }
        }
    }
}

extension PersistentStoreCoordinator {
    /// The current stores.
    package var storeList: StoreList {
        StoreList(stores: attachedStores, model: managedObjectModel, monitor: monitor)
    }

    /// Calls a closure with the current stores. If one of them is replaced and closed in the meantime, calls
    /// the closure again with the new store.
    func withCurrentStores<Result>(
        _ body: (StoreList) throws(GraphError) -> Result
    ) throws(GraphError) -> Result {
        while true {
            let stores = storeList
            do {
                return try body(stores)
            } catch .store(.closed(let location)) {
                guard stores.stores.contains(where: \.isReplaced) else {
                    throw .store(.closed(location))
                }
            } catch {
                throw error
            }
        }
    }

    private func attachedStore(numbered number: StoreNumber) throws(GraphError) -> AttachedStore {
        // Does not use `storeList`, because each fault calls this and creating a list takes time.
        if let found = state.withLock({ $0.stores.first { $0.number == number } }) { return found }
        throw .unknownStore(number)
    }
}
