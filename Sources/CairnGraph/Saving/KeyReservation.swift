import CairnModel
import CairnStore

/// Gives permanent IDs to new objects, from keys that their store reserves.
enum KeyReservation {
    /// Takes keys for objects that are not saved now, in a save of its own that changes nothing else.
    static func reserve(
        for temporary: [ObjectID], in attached: AttachedStore
    ) throws(GraphError) -> IDReplacements {
        let save = StoreSave(attached)
        defer { save.rollback() }
        try save.begin()
        let permanent = try permanentIDs(for: temporary, with: save)
        if let refusal = save.prepare() { throw .store(refusal) }
        // Committed, so that other processes do not take the keys either.
        try GraphError.translating { () throws(StoreError) in _ = try save.commit() }
        return permanent
    }

    /// Returns the permanent ID of each object, keys in the order of `temporary`.
    ///
    /// - Parameter save: begun, not prepared.
    /// - Throws: `.store(.keysExhausted)`, `.store(.engineFailure)`.
    static func permanentIDs(
        for temporary: [ObjectID], with save: StoreSave
    ) throws(GraphError) -> IDReplacements {
        // Neighbours are mostly of one entity: then nothing is looked up for each.
        let runs = neighbours(in: temporary)
        var counts: [EntityNumber: Int] = [:]
        for run in runs { counts[run.root, default: 0] += run.ids.count }
        var free = try save.reserveKeys(counts)
        var permanent = IDReplacements(minimumCapacity: temporary.count)
        for run in runs {
            guard var keys = free[run.root], keys.count >= run.ids.count else {
                throw .store(save.keysExhausted(run.root))
            }
            for id in run.ids {
                permanent[id] = ObjectID(
                    store: save.attached.number, rootEntity: run.root, entity: id.entity,
                    key: keys.removeFirst())
            }
            free[run.root] = keys
        }
        return permanent
    }

    /// The IDs in parts that share a root entity, in their order.
    private static func neighbours(
        in ids: [ObjectID]
    ) -> [(root: EntityNumber, ids: ArraySlice<ObjectID>)] {
        var runs: [(root: EntityNumber, ids: ArraySlice<ObjectID>)] = []
        var start = 0
        while start < ids.count {
            let root = ids[start].rootEntity
            let end = ids[start...].firstIndex { $0.rootEntity != root } ?? ids.count
            runs.append((root, ids[start..<end]))
            start = end
        }
        return runs
    }
}

extension StoreSave {
    fileprivate func keysExhausted(_ root: EntityNumber) -> StoreError {
        let entity = attached.store.request.model.entity(numbered: root)
        return .keysExhausted(entity: entity?.name ?? "\(root.rawValue)")
    }
}
