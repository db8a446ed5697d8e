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

    /// Takes the store's write lock.
    func begin() throws(GraphError) {
        do {
            transaction = try TurnExecutor.whileWaiting { () throws(StoreError) in
                try attached.store.beginSave()
            }
            if attached.capabilities.readsDuringSave {
                generationBefore = try attached.newestGeneration()
            }
        } catch .cancelled {
            throw .saveCancelled
        } catch {
            throw .store(error)
        }
    }

    /// Takes keys for new objects, so many for each root entity.
    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(GraphError) -> [EntityNumber: Range<Int64>] {
        guard let transaction, !counts.isEmpty else { return [:] }
        do {
            return try transaction.reserveKeys(counts)
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
    /// - Returns: the inserted and updated rows as the store has them now, and those of others whose
    ///   derived values are others now.
    @discardableResult
    func commit() throws(StoreError) -> RowBatch {
        guard let transaction else { return RowBatch() }
        let outcome: SaveOutcome
        // A snapshot of before would keep the log from being brought over; and what is read from
        // now on must show the save.
        attached.recentSnapshots.forgetAll()
        defer { attached.recentSnapshots.forgetAll() }
        do {
            outcome = try TurnExecutor.whileWaiting { () throws(StoreError) in
                try transaction.commit()
            }
        } catch {
            // Whatever the store holds now, it need not be what the cache holds.
            attached.rowCache.removeAll()
            throw error
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

    /// Forgets what was prepared. After a commit does nothing.
    func rollback() {
        transaction?.rollback()
        transaction = nil
    }

    private func savedRows(_ outcome: SaveOutcome) -> RowBatch {
        var rows = request.inserted
        rows.append(updatedRows)
        guard !outcome.recomputed.isEmpty else { return rows }
        var recomputed = Dictionary(
            outcome.recomputed.rows.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
        let saved = rows.rows.map { recomputed.removeValue(forKey: $0.id) ?? $0 }
        // The derived values of others may depend on what was saved.
        return RowBatch(saved + recomputed.values)
    }
}
