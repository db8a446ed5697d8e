import CairnModel
import CairnRows
import CairnStore
import CairnThreads

/// One store's part of a save: what it takes of the change set, the keys of its new objects, its transaction,
/// its request and its outcome.
///
/// It must be begun, used and ended on one thread.
final class StoreSave {
    let attached: AttachedStore
    /// The changes that the store saves.
    var request = SaveRequest()
    /// The rows of the request's updates, as one batch.
    var updatedRows = RowBatch()
    /// The new objects that the store takes. Their rows are packed into the request.
    var inserted: [ObjectID] = []
    /// The changed objects that the store takes. Their rows are packed into the request.
    var updated: [ChangeSet.Update] = []
    /// How many objects the parts change, if the save is written in parts. ``request`` has no rows then.
    var partObjectCount: Int?
    /// When to stop waiting for the store. `nil` if the engine's option decides.
    var waitsUntil: ContinuousClock.Instant?
    /// Whether the keys of the new objects were taken, or none are needed.
    private(set) var hasKeys = false
    /// The new objects without a permanent ID of this store, in order, divided into runs of the same root entity.
    /// Consecutive objects usually share an entity, so no lookup is needed for each object.
    private lazy var keyRuns = Self.keyRuns(of: inserted.filter { $0.store != attached.number })

    /// The store's transaction. `nil` before ``begin(reserving:)`` and after the end of the save.
    private(set) var transaction: (any SaveTransaction)?
    /// The transaction, if it was prepared without conflicts.
    var prepared: (any SaveTransaction)? { isPrepared ? transaction : nil }
    private var isPrepared = false
    /// The state of the store before the save. `nil` if the engine cannot determine it during a save.
    private var generationBefore: StoreGeneration?
    /// Keys that the transaction takes for later saves, by root entity.
    private var spareKeys: [EntityNumber: Range<Int64>] = [:]

    init(_ attached: AttachedStore) {
        self.attached = attached
    }

    var location: StoreLocation { attached.location }

    /// Whether the row cache shows the state that the save changes, because the engine said which state that
    /// is, or because nobody else can have saved.
    var cacheIsNewest: Bool {
        generationBefore.map(attached.rowCache.shows) ?? !attached.capabilities.isShared
    }

    /// Begins the save in the store and takes keys for new objects, in one step.
    ///
    /// - Parameter counts: The number of keys to take for each root entity.
    @discardableResult
    func begin(
        reserving counts: [EntityNumber: Int] = [:]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        let begun = try TurnExecutor.whileWaiting(toSave: true) { () throws(StoreError) in
            do throws(StoreError) {
                return try StoreDeadline.with(waitsUntil) { () throws(StoreError) in
                    try attached.store.beginSave(reserving: counts)
                }
            } catch .deadlineExceeded {
                // Unless it was the caller's deadline, others have kept the store busy.
                try StoreDeadline.check()
                throw .busy(location, waited: try attached.timeout())
            } catch {
                throw error
            }
        }
        transaction = begun.transaction
        // The store may have been replaced while this save waited for its lock.
        guard !attached.isReplaced else {
            rollback()
            throw .closed(location)
        }
        // If the cache has rows of an older state, it learns of the newer one after the commit: what changed
        // must not be asked while the save holds the store's lock.
        if let generation = begun.generation { attached.noteGeneration(generation) }
        // If saves are parallel, others may commit between this state and the commit of this save.
        if !attached.capabilities.savesInParallel { generationBefore = begun.generation }
        return begun.keys
    }

    /// Passes the request to the store, which checks it.
    ///
    /// - Throws: The errors of `SaveTransaction.prepare`.
    func prepare() throws(StoreError) {
        try transaction?.prepare(request)
        isPrepared = true
    }

    /// Makes the prepared changes durable and visible, and adds their rows to the row cache.
    ///
    /// If the outcome of the commit is unknown and the store recorded the save's name, the store is
    /// asked for the outcome.
    ///
    /// - Returns: The inserted and updated rows as the store now contains them, and other rows whose
    ///   derived values changed. The other rows are missing if the store was asked for the outcome.
    @discardableResult
    func commit() throws(StoreError) -> RowBatch {
        guard let transaction else { return RowBatch() }
        let outcome: SaveOutcome
        do {
            outcome = try commit(transaction, of: objectCount)
        } catch .commitOutcomeUnknown(let failure) {
            // Release the store's lock first, because the store takes it again to answer.
            rollback()
            return try rows(afterUnknownOutcome: failure)
        }
        if partObjectCount != nil {
            forgetRows(outcome)
            return RowBatch()
        }
        let rows = savedRows(outcome.recomputed)
        adopt(
            rows, newCount: outcome.recomputed.isEmpty ? request.inserted.count : 0,
            deleted: request.deleted.map(\.id), outcome)
        return rows
    }

    /// Commits the transaction, and tells those that watch the store.
    ///
    /// - Parameter objectCount: How many objects the transaction changes.
    func commit(
        _ transaction: any SaveTransaction, of objectCount: Int
    ) throws(StoreError) -> SaveOutcome {
        // An older snapshot would prevent a checkpoint of the log. In addition, reads from now on must
        // include the save.
        attached.recentSnapshots.forgetAll()
        defer { attached.recentSnapshots.forgetAll() }
        do {
            let outcome = try TurnExecutor.whileWaiting { () throws(StoreError) in
                try transaction.commit()
            }
            noteCommit(of: objectCount)
            return outcome
        } catch {
            // The store's content is unknown now and may differ from the cache.
            attached.rowCache.removeAll()
            throw error
        }
    }

    private func noteCommit(of objectCount: Int) {
        attached.watch?.lookSoon()
        attached.wakeFollowers()
        attached.changesFromHistory?.noteSave(of: objectCount)
    }

    /// How many objects the transaction changes.
    private var objectCount: Int { partObjectCount ?? request.objectCount }

    /// Ends the use of the transaction, of whose rows nothing is known. The row cache is empty afterwards.
    private func forgetRows(_ outcome: SaveOutcome) {
        attached.rowCache.adopt(
            saved: RowBatch(), deleted: [], before: nil, after: outcome.generation)
        transaction = nil
        attached.spareKeys.add(spareKeys)
    }

    /// Adds the rows of a commit to the row cache, and ends the use of the transaction.
    ///
    /// - Parameters:
    ///   - rows: The rows that the store now has, with at most one of each object.
    ///   - newCount: How many of them belong to new objects. These rows come first.
    ///   - deleted: The objects that the store no longer has.
    func adopt(
        _ rows: RowBatch, newCount: Int = 0, deleted: [ObjectID], _ outcome: SaveOutcome
    ) {
        defer {
            transaction = nil
            attached.spareKeys.add(spareKeys)
        }
        if attached.capabilities.savesInParallel {
            generationBefore = outcome.base
            // Others may have changed the rows since.
            if outcome.base == nil {
                attached.rowCache.noteGeneration(outcome.generation)
                return
            }
        }
        if let before = generationBefore, !attached.rowCache.shows(before) {
            // Others have saved. If nothing is known of their changes, adopting empties the cache.
            try? attached.explainChanges(until: outcome.generation)
        }
        if attached.hasDerivedAttributes {
            // Other cached rows may be outdated. Without a known state before the save, adopting removes them.
            generationBefore = nil
        }
        let isExclusive = !attached.capabilities.isShared && !attached.hasDerivedAttributes
        attached.rowCache.adopt(
            saved: rows, newCount: newCount, deleted: deleted, before: generationBefore,
            after: outcome.generation, isExclusive: isExclusive)
    }

    /// Asks the store whether the save took place, because the outcome of the commit is unknown. The
    /// transaction has ended.
    ///
    /// - Returns: The rows of the request as the store now contains them.
    /// - Throws: The reason if the save did not take place; `.commitOutcomeUnknown` if the store cannot
    ///   tell.
    func rows(afterUnknownOutcome reason: EngineFailure) throws(StoreError) -> RowBatch {
        guard let id = request.id else { throw .commitOutcomeUnknown(reason) }
        switch TurnExecutor.whileWaiting({ askedOutcome(of: id) }) {
        case .saved: break
        case .notSaved: throw .engineFailure(reason)
        case .forgotten: throw .commitOutcomeUnknown(reason)
        }
        noteCommit(of: objectCount)
        // Others may have saved since. The next reads fill the cache again. The cache has to know a state
        // that includes this save, or else it would accept rows that were read before the commit. If the
        // store cannot be asked, the next snapshot informs the cache.
        _ = try? attached.newestGeneration()
        attached.rowCache.removeAll()
        attached.recentSnapshots.forgetAll()
        return storedRows()
    }

    /// Asks the store for the outcome of the save. If that fails in a way that may be temporary, asks
    /// again after a pause. Returns `.forgotten` if the store cannot be asked.
    private func askedOutcome(of id: SaveID) -> CommitOutcome {
        var backoff = Backoff()
        while true {
            do {
                return try attached.store.outcome(of: id)
            } catch {
                guard error.isTransientFailure, backoff.pause() == .passed else {
                    return .forgotten
                }
            }
        }
    }

    /// Returns the rows of the request as the store now contains them, with the values that the store
    /// computed. Rows that were changed since, or that cannot be read now, are returned as they were
    /// requested.
    private func storedRows() -> RowBatch {
        let rows = requestedRows
        guard attached.hasDerivedAttributes,
            let stored = try? attached.snapshot().rows(for: rows.ids)
        else { return rows }
        let byID = Dictionary(
            stored.rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return RowBatch(
            rows.rows.map { row in
                guard let found = byID[row.id], found.version == row.version else { return row }
                return found
            })
    }

    /// The rows of the request. Values that the store computes are those from when the rows were packed.
    var requestedRows: RowBatch {
        var rows = request.inserted
        rows.append(updatedRows)
        return rows
    }

    /// Discards the prepared changes. Has no effect after a commit.
    func rollback() {
        transaction?.rollback()
        transaction = nil
    }

    /// Returns the rows of the request with the values that the store computed, and the other rows in
    /// which it computed some.
    func savedRows(_ recomputed: RowBatch) -> RowBatch {
        let rows = requestedRows
        guard !recomputed.isEmpty else { return rows }
        var recomputed = Dictionary(
            recomputed.rows.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
        let saved = rows.rows.map { recomputed.removeValue(forKey: $0.id) ?? $0 }
        // Other rows may have values that are derived from the saved rows.
        return RowBatch(saved + recomputed.values)
    }
}

// MARK: - Splitting a change set

extension StoreSave {
    /// Splits a change set among the stores, in the order of their identifiers. Stores without changes
    /// are left out.
    ///
    /// - Throws: The errors of ``StoreList/store(of:assignments:)``.
    static func split(
        _ changes: ChangeSet, among stores: StoreList
    ) throws(GraphError) -> [StoreSave] {
        var splitter = Splitter(assignments: changes.assignments, stores: stores)
        for id in changes.inserted { try splitter.save(of: id).inserted.append(id) }
        for it in changes.updated { try splitter.save(of: it.id).updated.append(it) }
        for it in changes.pairs { try splitter.save(of: it.owner).request.pairs.append(it) }
        // An object that moves is deleted in the store in which it is now.
        splitter.assignments = [:]
        for it in changes.deleted { try splitter.save(of: it.id).request.deleted.append(it) }
        return splitter.saves.sorted { $0.attached.identifier < $1.attached.identifier }
    }

    private struct Splitter {
        var assignments: [ObjectID: StoreNumber]
        let stores: StoreList
        private(set) var saves: [StoreSave] = []
        /// For each entity, the index of the save that takes new objects without an assigned store.
        private var savesByEntity: [EntityNumber: Int] = [:]
        /// The index that was found last. Consecutive objects usually belong to one entity.
        private var last: (entity: EntityNumber, save: Int)?

        init(assignments: [ObjectID: StoreNumber], stores: StoreList) {
            self.assignments = assignments
            self.stores = stores
        }

        /// Returns the part of the store that takes an object.
        mutating func save(of id: ObjectID) throws(GraphError) -> StoreSave {
            saves[try index(of: id)]
        }

        private mutating func index(of id: ObjectID) throws(GraphError) -> Int {
            guard id.isTemporary, assignments.isEmpty else {
                let known = saves.firstIndex { $0.attached.number == id.store }
                if let known, assignments[id] == nil { return known }
                return try newIndex(of: id)
            }
            if let last, last.entity == id.entity { return last.save }
            let known = savesByEntity[id.entity]
            let index = if let known { known } else { try newIndex(of: id) }
            savesByEntity[id.entity] = index
            last = (id.entity, index)
            return index
        }

        private mutating func newIndex(of id: ObjectID) throws(GraphError) -> Int {
            let attached = try stores.store(of: id, assignments: assignments)
            let known = saves.firstIndex { $0.attached.number == attached.number }
            if let known { return known }
            saves.append(StoreSave(attached))
            return saves.count - 1
        }
    }
}

// MARK: - The keys of new objects

extension StoreSave {
    /// Takes the keys of the new objects if there are spare keys, or if the store can reserve keys
    /// outside a save.
    ///
    /// - Parameter permanentIDs: The permanent IDs with these keys are added to it.
    /// - Throws: `.keysExhausted` and the errors of the store.
    func takeKeysOutsideSave(_ permanentIDs: inout IDReplacements) throws(StoreError) {
        let counts = keyCounts
        var keys: [EntityNumber: Range<Int64>]? = [:]
        if !counts.isEmpty {
            keys = try TurnExecutor.whileWaiting { () throws(StoreError) in
                if let spare = attached.spareKeys.take(counts) { return spare }
                return try attached.store.reserveKeys(counts)
            }
        }
        if let keys { try add(keys, to: &permanentIDs) }
    }

    /// Begins the save in the store, and takes the keys of the new objects unless they have been taken.
    ///
    /// - Parameter sparing: Whether to take spare keys for other saves, too.
    func beginTakingKeys(
        _ permanentIDs: inout IDReplacements, sparing: Bool = false
    ) throws(StoreError) {
        spareKeys = [:]
        let counts = hasKeys ? [:] : keyCounts
        let spare = sparing ? attached.spareKeys.wanted : [:]
        var keys: [EntityNumber: Range<Int64>]
        do {
            keys = try begin(reserving: counts.merging(spare, uniquingKeysWith: +))
        } catch .keysExhausted where !spare.isEmpty {
            keys = try begin(reserving: counts)
        } catch {
            throw error
        }
        for (root, range) in keys {
            let end = range.lowerBound + Int64(counts[root] ?? 0)
            if end < range.upperBound { spareKeys[root] = end..<range.upperBound }
            keys[root] = range.lowerBound..<end
        }
        if !hasKeys { try add(keys, to: &permanentIDs) }
    }

    /// Takes the keys of new objects that are not being saved now. Takes them outside a save if the store can
    /// do that; otherwise makes a save that changes nothing else.
    func reserveKeys(_ permanentIDs: inout IDReplacements) throws(StoreError) {
        try takeKeysOutsideSave(&permanentIDs)
        if hasKeys { return }
        defer { rollback() }
        try beginTakingKeys(&permanentIDs)
        try prepare()
        // Commit, so that other processes do not take the same keys.
        try commit()
    }

    /// The number of keys that the new objects need, for each root entity.
    private var keyCounts: [EntityNumber: Int] {
        var counts: [EntityNumber: Int] = [:]
        for run in keyRuns { counts[run.root, default: 0] += run.ids.count }
        return counts
    }

    private static func keyRuns(
        of ids: [ObjectID]
    ) -> [(root: EntityNumber, ids: ArraySlice<ObjectID>)] {
        var runs: [(root: EntityNumber, ids: ArraySlice<ObjectID>)] = []
        var rest = ids[...]
        while let root = rest.first?.rootEntity {
            let ids = rest.prefix { $0.rootEntity == root }
            runs.append((root, ids))
            rest = rest.dropFirst(ids.count)
        }
        return runs
    }

    /// Adds the permanent ID of each new object. The order of the keys is the order of the objects.
    ///
    /// - Throws: `.keysExhausted`.
    private func add(
        _ keys: [EntityNumber: Range<Int64>], to permanentIDs: inout IDReplacements
    ) throws(StoreError) {
        var free = keys
        for run in keyRuns {
            guard var keys = free[run.root], keys.count >= run.ids.count else {
                let entity = attached.store.request.model.entity(numbered: run.root)
                throw .keysExhausted(entity: entity?.name ?? "\(run.root.rawValue)")
            }
            for id in run.ids {
                permanentIDs[id] = ObjectID(
                    store: attached.number, rootEntity: run.root, entity: id.entity,
                    key: keys.removeFirst())
            }
            free[run.root] = keys
        }
        hasKeys = true
    }
}

extension StoreError {
    /// Whether the engine says that the same call may succeed a little later. This excludes busy stores,
    /// because the call has already waited for them up to the `timeout` option.
    var isTransientFailure: Bool {
        guard case .engineFailure(let failure) = self else { return false }
        return failure.isTransient
    }
}
