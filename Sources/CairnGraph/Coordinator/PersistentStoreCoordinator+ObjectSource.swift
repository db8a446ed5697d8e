import CairnModel
import CairnStore
import Foundation

extension PersistentStoreCoordinator: ObjectSource {
    package var feed: ContextFeed? { contexts }
    package var coordinator: PersistentStoreCoordinator? { self }

    package func refreshCache(olderThan age: Duration) throws(GraphError) {
        for attached in attachedStores where attached.rowCache.isOlder(than: age) {
            try GraphError.translating { () throws(StoreError) in try attached.snapshot().end() }
        }
    }

    package func fetch(
        _ plan: FetchPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> RowBatch {
        try reading(plan, in: stores) { set throws(GraphError) in
            try FetchPipeline(plan, of: self).fetch(from: set)
        }
    }

    package func fetchKeepingState(
        _ plan: FetchPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> (rows: RowBatch, state: any ObjectSource) {
        // Relationships do not lead to other stores.
        let chosen = try self.stores(holding: plan, among: stores)
        return try StoreDeadline.with(plan.deadline) { () throws(GraphError) in
            let state = PinnedState(try snapshots(of: chosen))
            let source = PinnedSource(self, state)
            return (try source.fetch(plan, in: stores), source)
        }
    }

    package func count(_ plan: FetchPlan, in stores: [StoreNumber]?) throws(GraphError) -> Int {
        try reading(plan, in: stores) { set throws(GraphError) in
            try FetchPipeline(plan, of: self).count(in: set)
        }
    }

    package func dictionaries(
        _ plan: DictionaryPlan, in stores: [StoreNumber]?
    ) throws(GraphError) -> [[String: Value]] {
        try reading(plan.fetch, in: stores) { set throws(GraphError) in
            try DictionaryFetch(plan, of: self).run(on: set)
        }
    }

    /// Calls the body with the newest state of the stores that may hold a match of the plan.
    private func reading<Result>(
        _ plan: FetchPlan, in stores: [StoreNumber]?,
        _ body: (SnapshotSet) throws(GraphError) -> Result
    ) throws(GraphError) -> Result {
        let chosen = try self.stores(holding: plan, among: stores)
        return try StoreDeadline.with(plan.deadline) { () throws(GraphError) in
            let set = try snapshots(of: chosen)
            defer { set.end() }
            return try body(set)
        }
    }

    package func row(for id: ObjectID) throws(GraphError) -> Row? {
        let attached = try attachedStore(numbered: id.store)
        if let row = attached.rowCache.row(for: id) { return row }
        return try GraphError.translating { () throws(StoreError) in try attached.readRow(id) }
    }

    package func rows(for ids: [ObjectID]) throws(GraphError) -> RowBatch {
        try rows(for: ids, usingCache: true)
    }

    package func freshRows(for ids: [ObjectID]) throws(GraphError) -> RowBatch {
        try rows(for: ids, usingCache: false)
    }

    package func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(GraphError) -> RelatedIDs {
        let answer = try related([RelatedQuestion(relationship, of: ids)])
        return answer.members.first ?? RelatedIDs()
    }

    package func related(_ questions: [RelatedQuestion]) throws(GraphError) -> RelatedAnswer {
        try RelatedGroups(questions).answer { number, questions throws(GraphError) in
            let attached = try attachedStore(numbered: number)
            return try GraphError.translating { () throws(StoreError) in
                try attached.read { snapshot throws(StoreError) in
                    try attached.reading(snapshot).related(questions)
                }
            }
        }
    }

    package func externalData(_ reference: ExternalReference) throws(GraphError) -> Data {
        try read(from: reference.store) { snapshot throws(StoreError) in
            try snapshot.externalData(reference)
        }
    }

    package func save(_ changes: ChangeSet) throws(GraphError) -> SaveResult {
        try GraphError.translating { () throws(StoreError) in try StoreDeadline.check() }
        let assignment = StoreAssignment(stores: attachedStores, model: managedObjectModel)
        return try CoordinatedSave(
            changes: changes, journalModel: journalModel, assignment: assignment,
            commitGate: commitGate
        ).run()
    }

    package func permanentIDs(
        for temporary: [ObjectID], assignments: [ObjectID: StoreNumber]
    ) throws(GraphError) -> [ObjectID] {
        let assignment = StoreAssignment(stores: attachedStores, model: managedObjectModel)
        var changes = ChangeSet(packer: NoRows())
        changes.inserted = temporary.filter(\.isTemporary)
        changes.assignments = assignments
        var permanent = IDReplacements()
        for share in try ChangeShare.split(changes, by: assignment) {
            permanent.merge(
                try KeyReservation.reserve(for: share.inserted, in: share.attached))
        }
        return temporary.map { permanent[$0] ?? $0 }
    }
}

extension PersistentStoreCoordinator {
    /// Returns the store that takes a new object of the ID's entity which was not assigned to one.
    ///
    /// - Throws: `.noStore`; `.entityNotTaken`; `.store(.readOnly)`.
    func storeForNewObjects(of id: ObjectID) throws(GraphError) -> StoreNumber {
        try StoreAssignment(stores: attachedStores, model: managedObjectModel)
            .store(of: id, assignments: [:]).number
    }

    /// Checks that a store takes new objects of an entity.
    ///
    /// - Throws: `.unknownStore`, `.entityNotTaken`, `.store(.readOnly)`.
    func require(_ store: StoreNumber, toTake entity: EntityNumber) throws(GraphError) {
        _ = try StoreAssignment(stores: attachedStores, model: managedObjectModel)
            .store(numbered: store, for: entity)
    }

    /// Returns the stores that may hold a match of the plan.
    ///
    /// - Throws: `.unknownStore`; `.noStore`.
    func stores(
        holding plan: FetchPlan, among numbers: [StoreNumber]?
    ) throws(GraphError) -> [AttachedStore] {
        let assignment = StoreAssignment(stores: attachedStores, model: managedObjectModel)
        var chosen = assignment.stores
        if let numbers {
            chosen = []
            for number in numbers {
                let store = try assignment.store(numbered: number)
                // One that is named twice has each match once.
                if !chosen.contains(where: { $0 === store }) { chosen.append(store) }
            }
        }
        chosen = chosen.filter { $0.holds(plan.entityNumbers) }
        if chosen.isEmpty { throw .noStore(entity: plan.entity.name) }
        return chosen
    }

    private func rows(
        for ids: [ObjectID], usingCache: Bool
    ) throws(GraphError) -> RowBatch {
        if usingCache, ids.count == 1, let id = ids.first {
            return RowBatch(CollectionOfOne(try row(for: id)).compactMap(\.self))
        }
        let groups = IDGroups(ids)
        var batch = RowBatch()
        for (number, members) in zip(groups.stores, groups.ids) {
            let attached = try attachedStore(numbered: number)
            let (found, missing) =
                usingCache ? attached.rowCache.rows(for: members) : ([], members)
            batch.append(RowBatch(found))
            if missing.isEmpty { continue }
            batch.append(
                try GraphError.translating { () throws(StoreError) in
                    guard !usingCache else {
                        return try attached.read { snapshot throws(StoreError) in
                            try attached.reading(snapshot).rows(for: missing)
                        }
                    }
                    let snapshot = try attached.snapshot()
                    defer { snapshot.end() }
                    return try attached.reading(snapshot).rows(for: missing)
                })
        }
        return batch
    }

    private func read<Result>(
        from number: StoreNumber, _ body: (any StoreSnapshot) throws(StoreError) -> Result
    ) throws(GraphError) -> Result {
        let attached = try attachedStore(numbered: number)
        return try GraphError.translating { () throws(StoreError) in
            try attached.read(body)
        }
    }

    private func attachedStore(numbered number: StoreNumber) throws(GraphError) -> AttachedStore {
        if let found = state.withLock({ $0.stores.first { $0.number == number } }) { return found }
        return try StoreAssignment(stores: attachedStores, model: managedObjectModel)
            .store(numbered: number)
    }

    func snapshots(of stores: [AttachedStore]) throws(GraphError) -> SnapshotSet {
        try GraphError.translating { () throws(StoreError) in
            try SnapshotSet.take(of: stores, gate: commitGate)
        }
    }
}

extension AttachedStore {
    /// Reads a row that the cache does not have, and keeps it there.
    ///
    /// - Throws: what the store throws.
    fileprivate func readRow(_ id: ObjectID) throws(StoreError) -> Row? {
        try read { snapshot throws(StoreError) in
            let row = try snapshot.row(for: id)
            if let row { rowCache.insert(row, from: snapshot.generation) }
            return row
        }
    }
}

/// The packer of a change set that only asks for keys: it is never called.
private final class NoRows: RowPacking {
    func pack(
        _ id: ObjectID, key: Int64, version: Int64, into writer: inout RowWriter,
        resolving permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {}
}
