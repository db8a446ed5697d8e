import CairnModel
import CairnStore

/// Gives permanent IDs to new objects, from keys that their store reserves.
enum KeyReservation {
    /// Takes keys for objects that are not saved now, in a save of its own that changes nothing else.
    static func reserve(
        for temporary: [ObjectID], in attached: AttachedStore
    ) throws(GraphError) -> [ObjectID: ObjectID] {
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
    ) throws(GraphError) -> [ObjectID: ObjectID] {
        var counts: [EntityNumber: Int] = [:]
        for id in temporary { counts[id.rootEntity, default: 0] += 1 }
        var free = try save.reserveKeys(counts)
        var permanent = [ObjectID: ObjectID](minimumCapacity: temporary.count)
        for id in temporary {
            guard let key = free[id.rootEntity]?.popFirst() else {
                throw .store(save.keysExhausted(id.rootEntity))
            }
            permanent[id] = ObjectID(
                store: save.attached.number, rootEntity: id.rootEntity, entity: id.entity, key: key)
        }
        return permanent
    }
}

extension StoreSave {
    fileprivate func keysExhausted(_ root: EntityNumber) -> StoreError {
        let entity = attached.store.request.model.entity(numbered: root)
        return .keysExhausted(entity: entity?.name ?? "\(root.rawValue)")
    }
}
