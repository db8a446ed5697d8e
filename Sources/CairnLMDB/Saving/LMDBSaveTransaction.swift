import CairnModel
import CairnStore

/// One save of an LMDB store: one write transaction, done again where the map was too small.
final class LMDBSaveTransaction: SaveTransaction {
    private let store: LMDBStore
    private var file: OpenFile
    private var transaction: LMDBTransaction
    private var progress: SaveProgress<(request: SaveRequest, recomputed: RowBatch)>
    /// The key after the last that was taken, by root entity.
    private var nextKeys: [EntityNumber: Int64] = [:]

    /// - Precondition: the caller holds the environment's write lock; the transaction gives it back.
    init(_ transaction: LMDBTransaction, in file: OpenFile, store: LMDBStore) {
        self.transaction = transaction
        self.store = store
        self.file = file
        progress = SaveProgress(of: LMDBStore.type, at: store.request.location)
    }

    deinit { rollback() }

    private var environment: LMDBEnvironment { file.use.environment }
    private var tables: StoreTables { file.tables }

    // MARK: Keys

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        try store.checkOpen()
        try progress.requireRunning("reserve keys")
        var keys: [EntityNumber: Range<Int64>] = [:]
        for (entity, count) in counts where count > 0 {
            let tables = try tables.heldTables(of: entity, at: store.request.location)
            let first = try nextKey(of: tables.root)
            let (end, overflow) = first.addingReportingOverflow(Int64(count))
            guard !overflow else { throw .keysExhausted(entity: tables.name) }
            nextKeys[tables.root] = end
            environment.takenKeys.raise(end, of: rootName(tables.root))
            keys[entity] = first..<end
        }
        return keys
    }

    /// Above all keys that were taken, by saves that were rolled back too, and above those of rows.
    private func nextKey(of root: EntityNumber) throws(StoreError) -> Int64 {
        if let known = nextKeys[root] { return known }
        let name = rootName(root)
        let stored = try record.nextKey(of: name)
        return max(stored, environment.takenKeys.next(of: name))
    }

    private func rootName(_ root: EntityNumber) -> String { tables.tables(of: root)?.name ?? "" }

    private var record: StoreRecord {
        StoreRecord(transaction: transaction, table: tables.metadata)
    }

    /// Notes the keys that were taken, here or by the request's new rows.
    private func writeNextKeys() throws(StoreError) {
        for (root, key) in nextKeys {
            let name = rootName(root)
            if key > (try record.nextKey(of: name)) { try record.setNextKey(key, of: name) }
        }
    }

    private func noteKeys(of inserted: RowBatch) {
        var root = EntityNumber(0)
        var next: Int64?
        for index in inserted.rowIndices {
            let row = inserted[row: index]
            // Rows come in runs of one root entity: it is looked up once for each.
            if row.rootEntity != root {
                if let next { nextKeys[root] = next }
                (root, next) = (row.rootEntity, nextKeys[row.rootEntity])
            }
            if row.key >= next ?? 0 { next = row.key == .max ? row.key : row.key + 1 }
        }
        if let next { nextKeys[root] = next }
    }

    // MARK: Saving

    func prepare(_ request: SaveRequest) throws(StoreError) {
        try progress.beginPreparing()
        try store.checkOpen()
        try request.requireWellFormed(for: LMDBStore.type, at: store.request.location)
        try EntityCheck(tables: tables, location: store.request.location).check(request)
        noteKeys(of: request.inserted)
        progress.finishPreparing((request, try write(request)))
    }

    func commit() throws(StoreError) -> SaveOutcome {
        let (request, computed) = try progress.beginCommit()
        var recomputed = computed
        try store.checkOpen()
        let number = transaction.number
        try file.requireName()
        try commitInLargerMaps(request, &recomputed)
        environment.extendFile()
        let generation = StoreGeneration((try? environment.lastTransaction()) ?? number)
        // What was taken is on disk now: nothing is left to note.
        nextKeys = [:]
        // A file that lost its name meanwhile took the save along. One that loses it from now on
        // had the save under the store's name.
        try file.requireName()
        rollback()
        return SaveOutcome(generation: generation, recomputed: recomputed)
    }

    private func commitInLargerMaps(
        _ request: SaveRequest, _ recomputed: inout RowBatch
    ) throws(StoreError) {
        while true {
            do throws(StoreError) {
                return try environment.use { () throws(StoreError) in
                    try writeNextKeys()
                    try transaction.commit()
                }
            } catch {
                guard error.isMapFull else { throw outcome(of: error) }
            }
            try beginAgain()
            recomputed = try write(request)
        }
    }

    /// Writes the request, again from the start in a larger map where this one is full.
    ///
    /// - Returns: the rows of which derived values were computed.
    private func write(_ request: SaveRequest) throws(StoreError) -> RowBatch {
        while true {
            do throws(StoreError) {
                return try LMDBRequestWriter(
                    transaction, tables: tables, store: store.number,
                    derived: store.derivedAttributes
                ).write(request)
            } catch {
                guard error.isMapFull else { throw error }
            }
            try beginAgain()
        }
    }

    /// Returns what the store says of a named save, and ends the transaction.
    ///
    /// A commit that failed may have left its last page half written. So the answer is given after a
    /// commit, which writes a whole one, and makes durable what the answer is read from.
    ///
    /// - Throws: as `commit`.
    func finalOutcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        defer { rollback() }
        try progress.beginPreparing()
        try store.checkOpen()
        try file.requireName()
        while true {
            do throws(StoreError) {
                let outcome = try environment.use { () throws(StoreError) in
                    let saves = NamedSaves(record: record)
                    let outcome = try saves.outcome(of: id)
                    try saves.rewrite()
                    try transaction.commit()
                    return outcome
                }
                environment.extendFile()
                try file.requireName()
                return outcome
            } catch {
                guard error.isMapFull else { throw self.outcome(of: error) }
            }
            try beginAgain()
        }
    }

    /// Nobody saves meanwhile: the write lock is still ours.
    private func beginAgain() throws(StoreError) {
        transaction.abort()
        try environment.makeRoom()
        transaction = try environment.beginWrite(isRelaxed: store.options.isRelaxed)
    }

    /// LMDB writes the one page that makes a save count at last; where that failed it knows not
    /// what is on disk, and refuses to go on.
    private func outcome(of error: StoreError) -> StoreError {
        guard case .engineFailure(let failure) = error, environment.isInDoubt() else {
            return error
        }
        return .commitOutcomeUnknown(failure)
    }

    // MARK: The end

    func rollback() {
        guard progress.end() else { return }
        transaction.abort()
        if !nextKeys.isEmpty { keepNextKeys() }
        environment.writeLock.give()
    }

    /// Keys that were handed out are never given again. Where this fails, the process still knows
    /// them as long as it has the file open.
    private func keepNextKeys() {
        do throws(StoreError) {
            // A file that was moved may be open elsewhere, by users of another lock file.
            try file.requireOnlyName()
            if environment.isUnusable {
                (transaction, file) = try store.beginWrite()
            } else {
                transaction = try environment.beginWrite(isRelaxed: store.options.isRelaxed)
            }
            try environment.use { () throws(StoreError) in
                try writeNextKeys()
                try transaction.commit()
            }
            environment.extendFile()
        } catch {
            transaction.abort()
        }
    }
}
