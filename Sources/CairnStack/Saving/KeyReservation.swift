import CairnModel
import CairnRows
import CairnStore
import CairnThreads

/// The keys that new objects of one store need, and the permanent IDs that contain these keys.
struct KeyReservation {
    /// The number of keys that are needed for each root entity.
    let counts: [EntityNumber: Int]
    private let attached: AttachedStore
    /// The objects in order, divided into runs of the same root entity. Consecutive objects usually
    /// share an entity, so no lookup is needed for each object.
    private let runs: [(root: EntityNumber, ids: ArraySlice<ObjectID>)]

    /// - Parameter temporary: The temporary IDs of the new objects.
    init(for temporary: [ObjectID], in attached: AttachedStore) {
        self.attached = attached
        runs = Self.neighbours(in: temporary)
        var counts: [EntityNumber: Int] = [:]
        for run in runs { counts[run.root, default: 0] += run.ids.count }
        self.counts = counts
    }

    /// Takes keys for objects that are not being saved now. Takes the keys outside a save if the store
    /// can do that; otherwise makes a save that changes nothing else.
    static func reserve(
        for temporary: [ObjectID], in attached: AttachedStore
    ) throws(StoreError) -> IDReplacements {
        let reservation = KeyReservation(for: temporary, in: attached)
        if let keys = try reservation.takeOutsideSave() {
            return try reservation.permanentIDs(from: keys)
        }
        let save = StoreSave(attached)
        defer { save.rollback() }
        let permanent = try reservation.permanentIDs(
            from: try save.begin(reserving: reservation.counts))
        try save.transaction?.prepare(save.request)
        // Commit, so that other processes do not take the same keys.
        try save.commit()
        return permanent
    }

    /// Takes the keys outside a save. Returns `nil` if the store can only take keys during a save.
    func takeOutsideSave() throws(StoreError) -> [EntityNumber: Range<Int64>]? {
        if counts.isEmpty { return [:] }
        return try TurnExecutor.whileWaiting { () throws(StoreError) in
            try attached.store.reserveKeys(counts)
        }
    }

    /// Returns the permanent ID of each object. The order of the keys is the order of the objects.
    ///
    /// - Throws: `.keysExhausted`.
    func permanentIDs(
        from keys: [EntityNumber: Range<Int64>]
    ) throws(StoreError) -> IDReplacements {
        var free = keys
        var permanent = IDReplacements(minimumCapacity: runs.reduce(0) { $0 + $1.ids.count })
        for run in runs {
            guard var keys = free[run.root], keys.count >= run.ids.count else {
                throw keysExhausted(run.root)
            }
            for id in run.ids {
                permanent[id] = ObjectID(
                    store: attached.number, rootEntity: run.root, entity: id.entity,
                    key: keys.removeFirst())
            }
            free[run.root] = keys
        }
        return permanent
    }

    private func keysExhausted(_ root: EntityNumber) -> StoreError {
        let entity = attached.store.request.model.entity(numbered: root)
        return .keysExhausted(entity: entity?.name ?? "\(root.rawValue)")
    }

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
