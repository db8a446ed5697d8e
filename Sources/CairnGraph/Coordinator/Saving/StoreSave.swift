import CairnModel
import CairnStore
import CairnThreads

/// One store's part of a save: its transaction, its request and its outcome.
///
/// It is begun, used and ended on one thread.
final class StoreSave {
    let attached: AttachedStore
    /// What the store is asked to save.
    var request = SaveRequest()
    /// The rows of the request's updates, as one batch.
    var updatedRows = RowBatch()

    /// The save in the store. `nil` before ``begin(reserving:)`` and after the end.
    private(set) var transaction: (any SaveTransaction)?
    /// The state of the store before the save. `nil` if the engine cannot tell it during a save.
    private var generationBefore: StoreGeneration?

    init(_ attached: AttachedStore) {
        self.attached = attached
    }

    var location: StoreLocation { attached.location }

    /// Begins the save in the store, and takes keys for new objects in the same step.
    ///
    /// - Parameter counts: how many keys to take for each root entity.
    @discardableResult
    func begin(
        reserving counts: [EntityNumber: Int] = [:]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        let begun = try TurnExecutor.whileWaiting { () throws(StoreError) in
            try attached.store.beginSave(reserving: counts)
        }
        transaction = begun.transaction
        if let generation = begun.generation { try attached.noteGeneration(generation) }
        // Other saves may commit between this state and the commit of this save.
        if !attached.capabilities.savesInParallel { generationBefore = begun.generation }
        return begun.keys
    }

    /// Makes what was prepared durable and visible, and hands its rows to the row cache.
    ///
    /// If the outcome of the commit is unknown, the store is asked, if it recorded the save's name.
    ///
    /// - Returns: the inserted and updated rows as they are in the store now, and other rows whose
    ///   derived values changed. The other rows are missing if the store had to be asked for the
    ///   outcome.
    @discardableResult
    func commit() throws(StoreError) -> RowBatch {
        guard let transaction else { return RowBatch() }
        let outcome: SaveOutcome?
        // An older snapshot would keep the log from being checkpointed, and reads from now on must show
        // the save.
        attached.recentSnapshots.forgetAll()
        defer { attached.recentSnapshots.forgetAll() }
        do {
            outcome = try TurnExecutor.whileWaiting { () throws(StoreError) in
                try commit(transaction)
            }
        } catch {
            // The store's content is not known now and may differ from the cache.
            attached.rowCache.removeAll()
            throw error
        }
        attached.watch?.lookSoon()
        guard let outcome else {
            // Others may have saved since. The next reads fill the cache again.
            attached.rowCache.removeAll()
            return storedRows()
        }
        let rows = savedRows(outcome)
        if attached.hasDerivedAttributes { attached.rowCache.removeAll() }
        let isExclusive = !attached.capabilities.isShared
        attached.rowCache.adopt(
            saved: rows, newCount: outcome.recomputed.isEmpty ? request.inserted.count : 0,
            deleted: request.deleted.map(\.id), before: generationBefore,
            after: outcome.generation, isExclusive: isExclusive)
        self.transaction = nil
        return rows
    }

    /// Commits, and asks the store if the outcome of the commit is unknown.
    ///
    /// - Returns: `nil` if the outcome was unknown and the store says that the save took place.
    private func commit(
        _ transaction: any SaveTransaction
    ) throws(StoreError) -> SaveOutcome? {
        let reason: EngineFailure
        do throws(StoreError) {
            return try transaction.commit()
        } catch .commitOutcomeUnknown(let failure) {
            reason = failure
        }
        guard let id = request.id else { throw .commitOutcomeUnknown(reason) }
        // The store takes the lock again to answer, so it is released first.
        rollback()
        switch askedOutcome(of: id) {
        case .saved: return nil
        case .notSaved: throw .engineFailure(reason)
        case .forgotten: throw .commitOutcomeUnknown(reason)
        }
    }

    /// Asks the store for the outcome of the save. Tries again after a pause if that fails in a way
    /// that may be temporary. A store that cannot be asked counts as one that has forgotten the save.
    private func askedOutcome(of id: SaveID) -> CommitOutcome {
        var backoff = Backoff()
        while true {
            do throws(StoreError) {
                return try attached.store.outcome(of: id)
            } catch {
                guard error.mayPass, backoff.pause() == .passed else { return .forgotten }
            }
        }
    }

    /// Returns the rows of the request as they are in the store now, with the values that the store
    /// computed. A row that was changed since, or that cannot be read now, is returned as it was
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

    /// The rows of the request. Values that the store computes are as they were when the rows were
    /// packed.
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

    private func savedRows(_ outcome: SaveOutcome) -> RowBatch {
        let rows = requestedRows
        guard !outcome.recomputed.isEmpty else { return rows }
        var recomputed = Dictionary(
            outcome.recomputed.rows.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
        let saved = rows.rows.map { recomputed.removeValue(forKey: $0.id) ?? $0 }
        // The derived values of other rows may depend on the saved rows.
        return RowBatch(saved + recomputed.values)
    }
}

extension StoreError {
    /// Whether the engine says that the same call may succeed a little later. This excludes a store
    /// that was busy, because the call has already waited for it up to the `timeout` option.
    var mayPass: Bool {
        guard case .engineFailure(let failure) = self else { return false }
        return failure.isTransient
    }
}
