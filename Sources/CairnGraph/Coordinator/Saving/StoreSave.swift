import CairnModel
import CairnStore
import CairnThreads

/// One store's part of a save: its transaction, its request, and what became of it.
///
/// Begun, used and ended on one thread.
final class StoreSave {
    let attached: AttachedStore
    /// What the store is asked to save.
    var request = SaveRequest()
    /// The rows of the request's updates, as one batch.
    var updatedRows = RowBatch()

    private var transaction: (any SaveTransaction)?
    /// The state that the save is made on; nil where the engine cannot say so during a save.
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
    ) throws(GraphError) -> [EntityNumber: Range<Int64>] {
        do {
            let begun = try TurnExecutor.whileWaiting { () throws(StoreError) in
                try attached.store.beginSave(reserving: counts)
            }
            transaction = begun.transaction
            if let generation = begun.generation { try attached.noteGeneration(generation) }
            // Savers in parallel commit between this state and the save's.
            if !attached.capabilities.savesInParallel { generationBefore = begun.generation }
            return begun.keys
        } catch .cancelled {
            throw .saveCancelled
        } catch {
            throw .store(error)
        }
    }

    /// Has the store check the request and write it, visible to no one. Returns why not; nil: done.
    func prepare() -> StoreError? {
        do throws(StoreError) {
            try transaction?.prepare(request)
            return nil
        } catch {
            return error
        }
    }

    /// Makes what was prepared durable and visible, and hands its rows to the row cache.
    ///
    /// If the answer to the commit was lost, a store that recorded the save's name is asked.
    ///
    /// - Returns: the inserted and updated rows as the store has them now, and those of others whose
    ///   derived values are others now. The latter are missing if the answer was lost.
    @discardableResult
    func commit() throws(StoreError) -> RowBatch {
        guard let transaction else { return RowBatch() }
        let outcome: SaveOutcome?
        // A snapshot of before would keep the log from being brought over; and what is read from
        // now on must show the save.
        attached.recentSnapshots.forgetAll()
        defer { attached.recentSnapshots.forgetAll() }
        do {
            outcome = try TurnExecutor.whileWaiting { () throws(StoreError) in
                try commit(transaction)
            }
        } catch {
            // Whatever the store holds now, it need not be what the cache holds.
            attached.rowCache.removeAll()
            throw error
        }
        attached.watch?.lookSoon()
        guard let outcome else {
            // Others may have saved since: the next reads bring the cache up to date.
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

    /// Commits, and asks the store if that leaves the outcome open.
    ///
    /// - Returns: `nil` if the answer to the commit was lost, and the store says that the save took
    ///   place.
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
        // The store takes the lock again to answer.
        rollback()
        switch askedOutcome(of: id) {
        case .saved: return nil
        case .notSaved: throw .engineFailure(reason)
        case .forgotten: throw .commitOutcomeUnknown(reason)
        }
    }

    /// Asks the store for the outcome of the save, again after a pause if it fails in a way that may
    /// pass. A store that cannot be asked knows as little as one that has forgotten.
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

    /// The rows of the request as the store has them now, with the values that it computed. A row
    /// that somebody has changed since, or that cannot be read now, is the request's.
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

    /// The rows of the request. What the store would compute is as it was when they were packed.
    var requestedRows: RowBatch {
        var rows = request.inserted
        rows.append(updatedRows)
        return rows
    }

    /// Forgets what was prepared. After a commit does nothing.
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
        // The derived values of others may depend on what was saved.
        return RowBatch(saved + recomputed.values)
    }
}

extension StoreError {
    /// Whether the engine says that the same call may succeed a little later. A store that was busy
    /// was waited for already, as long as its option says.
    var mayPass: Bool {
        guard case .engineFailure(let failure) = self else { return false }
        return failure.isTransient
    }
}
