import CairnModel
import CairnRows
import CairnStore
import CairnThreads

/// One store's part of a save: its transaction, its request and its outcome.
///
/// It must be begun, used and ended on one thread.
final class StoreSave {
    let attached: AttachedStore
    /// The changes that the store saves.
    var request = SaveRequest()
    /// The rows of the request's updates, as one batch.
    var updatedRows = RowBatch()

    /// The store's transaction. `nil` before ``begin(reserving:)`` and after the end of the save.
    private(set) var transaction: (any SaveTransaction)?
    /// The transaction, if it was prepared without conflicts.
    var prepared: (any SaveTransaction)? { isPrepared ? transaction : nil }
    private var isPrepared = false
    /// The state of the store before the save. `nil` if the engine cannot determine it during a save.
    private var generationBefore: StoreGeneration?

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
        let begun = try TurnExecutor.whileWaiting { () throws(StoreError) in
            try attached.store.beginSave(reserving: counts)
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
        let outcome: SaveOutcome?
        // An older snapshot would prevent a checkpoint of the log. In addition, reads from now on must
        // include the save.
        attached.recentSnapshots.forgetAll()
        defer { attached.recentSnapshots.forgetAll() }
        do {
            outcome = try TurnExecutor.whileWaiting { () throws(StoreError) in
                try commit(transaction)
            }
        } catch {
            // The store's content is unknown now and may differ from the cache.
            attached.rowCache.removeAll()
            throw error
        }
        attached.watch?.lookSoon()
        guard let outcome else {
            // Others may have saved since. The next reads fill the cache again. The cache has to know a state
            // that includes this save, or else it would accept rows that were read before the commit. If the
            // store cannot be asked, the next snapshot informs the cache.
            _ = try? attached.newestGeneration()
            attached.rowCache.removeAll()
            return storedRows()
        }
        if let before = generationBefore, !attached.rowCache.shows(before) {
            // Others have saved. If nothing is known of their changes, adopting empties the cache.
            try? attached.explainChanges(until: outcome.generation)
        }
        let rows = savedRows(outcome)
        if attached.hasDerivedAttributes {
            // Other cached rows may be outdated. Without a known state before the save, adopting removes them.
            generationBefore = nil
        }
        let isExclusive = !attached.capabilities.isShared && !attached.hasDerivedAttributes
        attached.rowCache.adopt(
            saved: rows, newCount: outcome.recomputed.isEmpty ? request.inserted.count : 0,
            deleted: request.deleted.map(\.id), before: generationBefore,
            after: outcome.generation, isExclusive: isExclusive)
        self.transaction = nil
        return rows
    }

    /// Commits, and asks the store if the outcome of the commit is unknown.
    ///
    /// - Returns: The outcome, or `nil` if the outcome was unknown at first and the store says that the
    ///   save succeeded.
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
        // Release the store's lock first, because the store takes it again to answer.
        rollback()
        switch askedOutcome(of: id) {
        case .saved: return nil
        case .notSaved: throw .engineFailure(reason)
        case .forgotten: throw .commitOutcomeUnknown(reason)
        }
    }

    /// Asks the store for the outcome of the save. If that fails in a way that may be temporary, asks
    /// again after a pause. Returns `.forgotten` if the store cannot be asked.
    private func askedOutcome(of id: SaveID) -> CommitOutcome {
        var backoff = Backoff()
        while true {
            do throws(StoreError) {
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

    private func savedRows(_ outcome: SaveOutcome) -> RowBatch {
        let rows = requestedRows
        guard !outcome.recomputed.isEmpty else { return rows }
        var recomputed = Dictionary(
            outcome.recomputed.rows.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
        let saved = rows.rows.map { recomputed.removeValue(forKey: $0.id) ?? $0 }
        // Other rows may have values that are derived from the saved rows.
        return RowBatch(saved + recomputed.values)
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
