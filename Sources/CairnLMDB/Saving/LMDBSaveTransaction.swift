import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// A save of an LMDB store: one write transaction, which is repeated if the map is too small.
final class LMDBSaveTransaction: SaveTransaction {
    private struct Prepared {
        /// The requests in the order in which they were written. All of them are written again in a
        /// larger map, or without one that failed after it had written something: LMDB cannot undo
        /// a part of a transaction, unless it copies each page that the part touches.
        /// The parts of a save are not kept.
        var requests: [TimedRequest] = []
        var isInParts = false
        /// The rows that the store computed, if `prepare` has written the only request.
        var recomputed = RowBatch()
    }

    private struct TimedRequest {
        let request: SaveRequest
        let time = Date()
    }

    private let store: LMDBStore
    private var file: OpenFile
    private var transaction: LMDBTransaction
    private var progress: SaveProgress<Prepared>
    /// The key after the last key that was taken, by root entity.
    private var nextKeys: [EntityNumber: Int64] = [:]

    /// - Precondition: The caller holds the environment's write lock. The new object releases it.
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
            environment.locks.raiseNextKey(to: end, of: rootName(tables.root))
            keys[entity] = first..<end
        }
        return keys
    }

    /// Returns a key above all existing rows and above all keys that were taken, including those
    /// taken by saves that were rolled back.
    private func nextKey(of root: EntityNumber) throws(StoreError) -> Int64 {
        let name = rootName(root)
        let stored = try record.nextKey(of: name)
        return max(stored, environment.locks.nextKey(of: name), nextKeys[root] ?? 1)
    }

    private func rootName(_ root: EntityNumber) -> String { tables.tables(of: root)?.name ?? "" }

    private var record: StoreRecord {
        StoreRecord(transaction: transaction, table: tables.metadata)
    }

    /// Records the keys that were taken, here or by the request's new rows.
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
            // Rows come in runs of the same root entity, so look it up only once for each run.
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
        try check(request)
        let requests = [TimedRequest(request: request)]
        let recomputed = try write(requests)
        progress.finishPreparing(Prepared(requests: requests, recomputed: recomputed))
    }

    private func check(_ request: SaveRequest) throws(StoreError) {
        try store.checkOpen()
        try request.requireWellFormed(for: LMDBStore.type, at: store.request.location)
        try EntityCheck(tables: tables, location: store.request.location).check(request)
        noteKeys(of: request.inserted)
    }

    func prepareNext(_ request: SaveRequest) throws(StoreError) -> RowBatch {
        let before = try progress.beginPreparingNext()
        if let part = request.part { return try prepare(request, part) }
        var requests = before?.requests ?? []
        var hasWritten = false
        do {
            try check(request)
            hasWritten = true
            requests.append(TimedRequest(request: request))
            let recomputed = try write(requests, from: requests.count - 1)
            progress.finishPreparing(Prepared(requests: requests))
            return recomputed
        } catch {
            if case .rowConflicts = error { hasWritten = false }
            if !hasWritten {
                progress.goBack(to: before)
            } else {
                // The error of the request says more than that of writing the others again.
                try? writeAgain(before)
            }
            throw error
        }
    }

    /// Writes a part of a save. If the map is too small, it is enlarged, and the save must be made again.
    private func prepare(_ request: SaveRequest, _ part: SavePart) throws(StoreError) -> RowBatch {
        try check(request)
        if part.isFirst {
            transaction.abort()
            // Rows and their indexes may replace pages of several times their size.
            try environment.makeRoom(for: 4 * part.remainingByteCount)
            try beginAgain()
        }
        let recomputed: RowBatch
        do {
            recomputed = try write(TimedRequest(request: request))
        } catch {
            throw try afterPart(error)
        }
        progress.finishPreparing(Prepared(isInParts: true))
        return recomputed
    }

    /// Enlarges the map if it is full, and returns the error that makes the coordinator save again.
    private func afterPart(_ error: StoreError) throws(StoreError) -> StoreError {
        guard error.isMapFull, case .engineFailure(var failure) = error else { return error }
        try beginAgain(inLargerMap: true)
        failure.isTransient = true
        return .engineFailure(failure)
    }

    func discardLast() throws(StoreError) {
        try store.checkOpen()
        var before = try progress.requireLastOfGroup()
        before.requests.removeLast()
        _ = try progress.beginPreparingNext()
        try writeAgain(before.requests.isEmpty ? nil : before)
    }

    /// Begins the transaction again, and writes the requests that were prepared before.
    private func writeAgain(_ before: Prepared?) throws(StoreError) {
        try beginAgain()
        _ = try write(before?.requests ?? [])
        progress.goBack(to: before)
    }

    func members(
        _ relationship: Relationship, ofDeleted owners: [ObjectID]
    ) throws(StoreError) -> RelatedIDs? {
        try store.checkOpen()
        _ = try progress.requirePrepared("read members")
        return try environment.use { () throws(StoreError) in
            try MemberReader(tables: tables, transaction: transaction, store: store.number)
                .relatedIDs(relationship, of: owners, ownersAreDeleted: true)
        }
    }

    func commit() throws(StoreError) -> SaveOutcome {
        let prepared = try progress.beginCommit()
        try store.checkOpen()
        let number = transaction.number
        try file.requireName()
        try commitInLargerMaps(prepared)
        environment.extendFile()
        let generation = StoreGeneration((try? environment.lastTransaction()) ?? number)
        // The taken keys are on disk now, so a rollback has nothing to record.
        nextKeys = [:]
        // If the file lost its name before this check, the store's location may lack the save. If
        // the file
        // loses its name later, the save was available under the store's name.
        try file.requireName()
        rollback()
        return SaveOutcome(generation: generation, recomputed: prepared.recomputed)
    }

    private func commitInLargerMaps(_ prepared: Prepared) throws(StoreError) {
        while true {
            do {
                return try environment.use { () throws(StoreError) in
                    try writeNextKeys()
                    try transaction.commit()
                }
            } catch {
                guard error.isMapFull else { throw outcome(of: error) }
                if prepared.isInParts { throw try afterPart(error) }
            }
            try beginAgain(inLargerMap: true)
            _ = try write(prepared.requests)
        }
    }

    /// Writes the requests from an index on. If the map is full, starts again with all requests in a
    /// larger map.
    ///
    /// - Returns: The rows with computed derived values of the last request.
    private func write(
        _ requests: [TimedRequest], from start: Int = 0
    ) throws(StoreError) -> RowBatch {
        var start = start
        while true {
            do {
                var recomputed = RowBatch()
                for it in requests[start...] { recomputed = try write(it) }
                return recomputed
            } catch {
                guard error.isMapFull else { throw error }
            }
            try beginAgain(inLargerMap: true)
            start = 0
        }
    }

    private func write(_ it: TimedRequest) throws(StoreError) -> RowBatch {
        try LMDBRequestWriter(
            transaction, tables: tables, store: store.number, derived: store.derivedAttributes,
            historyCodec: store.historyCodec, at: it.time
        ).write(it.request)
    }

    /// Returns whether a named save was committed, and ends the transaction.
    ///
    /// A failed commit may have left its last page half written. Therefore this method commits
    /// before it returns: the commit writes a complete page, and makes durable what the result is
    /// based on.
    func finalOutcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        defer { rollback() }
        try progress.beginPreparing()
        try store.checkOpen()
        try file.requireName()
        while true {
            do {
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
            try beginAgain(inLargerMap: true)
        }
    }

    /// Commits changes of the history, and ends the transaction.
    ///
    /// - Parameter change: makes the changes in a file's transaction. Called again if the map was too
    ///   small.
    /// - Throws: the errors of `commit` and of the body.
    func changeHistory<Answer>(
        _ change: (OpenFile, LMDBTransaction) throws(StoreError) -> Answer
    ) throws(StoreError) -> Answer {
        try progress.beginPreparing()
        try file.requireName()
        while true {
            do {
                let answer = try environment.use { () throws(StoreError) in
                    let answer = try change(file, transaction)
                    try transaction.commit()
                    return answer
                }
                environment.extendFile()
                return answer
            } catch {
                guard error.isMapFull else { throw outcome(of: error) }
            }
            try beginAgain(inLargerMap: true)
        }
    }

    /// Begins the transaction again. No other save can begin meanwhile, because this save keeps the
    /// write lock.
    private func beginAgain(inLargerMap isLarger: Bool = false) throws(StoreError) {
        transaction.abort()
        if isLarger { try environment.makeRoom() }
        transaction = try environment.beginWrite(isRelaxed: store.options.isRelaxed)
    }

    /// Returns the error for a failed commit. At last, LMDB writes the page that makes a commit
    /// valid. If that write fails, LMDB does not know what is on disk, and rejects further calls.
    private func outcome(of error: StoreError) -> StoreError {
        guard case .engineFailure(let failure) = error, environment.isInDoubt() else {
            return error
        }
        return .commitOutcomeUnknown(failure)
    }

    // MARK: Ending

    func rollback() {
        guard progress.end() else { return }
        transaction.abort()
        if !nextKeys.isEmpty { keepNextKeys() }
        environment.locks.releaseWriteLock()
    }

    /// Records the taken keys after a rollback, so that they are never assigned again. If this
    /// fails, the process still remembers them while it has the file open.
    private func keepNextKeys() {
        do {
            // A file that was moved may be open elsewhere, for users of another lock file.
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
