import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore

/// A save of a SQLite store: one SQLite transaction under the writer lock.
final class SQLiteSaveTransaction: SaveTransaction {
    private let store: SQLiteStore
    private let writer: SQLiteWriter
    /// The writers of large values, one for each prepared request.
    private var externalData: [ExternalDataWriter] = []
    /// The writer lock, or `nil` after the save has ended.
    private var lock: WriterLock?
    /// The highest key that was reserved in each root entity.
    private var reserved: [EntityNumber: Int64] = [:]
    /// The number of requests that ``prepareNext(_:)`` has prepared.
    private var groupCount = 0
    /// Whether the savepoint before the last of these requests exists, so that it can be undone.
    private var hasSavepoint = false
    /// The tables of the history, or `.some(nil)` if the store has none. They are looked for once, because
    /// a request may change the version of the schema before the commit.
    private var history: HistoryTables??
    /// The progress of the save. Its prepared value contains the rows that the store computed.
    private var progress: SaveProgress<RowBatch>

    private var connection: SQLiteConnection { writer.connection }
    private var location: StoreLocation { store.request.location }

    /// Begins the transaction. If this fails, the connection goes back to the store, and the lock
    /// is released.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.hardLinked`, `.busy`, `.cancelled`,
    ///   `.deadlineExceeded`, `.corrupt`, `.fileFailure` or `.engineFailure`.
    init(of store: SQLiteStore, lock: WriterLock, writer: SQLiteWriter) throws(StoreError) {
        self.store = store
        self.lock = lock
        self.writer = writer
        progress = SaveProgress(of: SQLiteStore.type, at: store.request.location)
        // Programs that do not know the lock file are excluded only by SQLite's own lock.
        writer.connection.lockWait.deadline = lock.deadline
        try writer.connection.run("BEGIN IMMEDIATE")
        writer.connection.lockWait.deadline = nil
        try requireFiles { () throws(StoreError) in try store.session.requireOnlyName() }
    }

    deinit { rollback() }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        try requireOpen("reserve keys")
        var ranges: [EntityNumber: Range<Int64>] = [:]
        for (entity, count) in counts where count > 0 {
            ranges[entity] = try reserve(count, for: entity)
        }
        return ranges
    }

    private func reserve(
        _ count: Int, for number: EntityNumber
    ) throws(StoreError) -> Range<Int64> {
        let schema = try store.rootSchema(of: number)
        let root = schema.entity.number
        let keys = PrimaryKeyTable(connection: connection)
        let stored = try keys.lastKey(ofRoot: schema.storeNumber, table: schema.table)
        let last = max(stored, store.lastReservedKey(of: root))
        let (end, overflows) = last.addingReportingOverflow(Int64(count))
        guard !overflows, end < .max else { throw .keysExhausted(entity: schema.entity.name) }
        try keys.raise(root: schema.storeNumber, to: end)
        store.noteReservedKey(end, of: root)
        reserved[root] = end
        return last + 1..<end + 1
    }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        try requireOpen("prepare")
        try progress.beginPreparing()
        try request.requireWellFormed(for: SQLiteStore.type, at: location)
        progress.finishPreparing(try write(request))
    }

    /// Writes a request, and returns the rows for which the store computed values.
    private func write(_ request: SaveRequest) throws(StoreError) -> RowBatch {
        writer.computedRows.forget()
        // A file that an earlier request of the group has let go of is removed soon.
        let files = ExternalDataWriter(
            store.files.externalData, pending: store.obsoleteFiles.union(obsoleteFiles))
        externalData.append(files)
        let recomputed = try SQLiteRequestWriter(
            save: try context(files), store: store, computed: writer.computedRows,
            reserved: reserved
        ).write(request)
        try files.finish()
        return recomputed
    }

    /// The external files that no row refers to after the save.
    private var obsoleteFiles: Set<String> {
        externalData.reduce(into: []) { $0.formUnion($1.obsolete) }
    }

    func prepareNext(_ request: SaveRequest) throws(StoreError) -> RowBatch {
        try requireOpen("prepare")
        let before = try progress.beginPreparingNext()
        do {
            if hasSavepoint {
                // If this fails, going back must not undo the request before.
                hasSavepoint = false
                try connection.run("RELEASE request")
            }
            // A part of a save is never undone alone.
            if request.part == nil {
                try connection.run("SAVEPOINT request")
                hasSavepoint = true
            }
            try request.requireWellFormed(for: SQLiteStore.type, at: location)
            let recomputed = try write(request)
            groupCount += 1
            progress.finishPreparing(RowBatch())
            return recomputed
        } catch {
            // The error of the request says more than that of going back.
            try? goBack(to: before)
            throw error
        }
    }

    func discardLast() throws(StoreError) {
        try requireOpen("discard a request")
        _ = try progress.requirePrepared("discard a request")
        guard hasSavepoint else {
            throw progress.misuse("discard a request", "no request was prepared before")
        }
        _ = try progress.beginPreparingNext()
        groupCount -= 1
        try goBack(to: groupCount > 0 ? RowBatch() : nil)
    }

    /// Undoes the last request. A full disk, a failed write or a trigger that rolls back ends the whole
    /// transaction, so that the savepoint is gone and nothing can be committed.
    private func goBack(to before: RowBatch?) throws(StoreError) {
        if externalData.count > groupCount { externalData.removeLast().discard() }
        guard hasSavepoint, connection.isInTransaction else { return }
        hasSavepoint = false
        try connection.run("ROLLBACK TO request")
        try connection.run("RELEASE request")
        progress.goBack(to: before)
    }

    private func context(_ files: ExternalDataWriter) throws(StoreError) -> SaveContext {
        let tables = if let history { history } else { try store.history(on: connection) }
        history = .some(tables)
        return SaveContext(
            connection: connection, schema: store.schema,
            roundsValues: store.options.roundsValues, externalData: files, history: tables)
    }

    func members(
        _ relationship: Relationship, ofDeleted owners: [ObjectID]
    ) throws(StoreError) -> RelatedIDs? {
        try requireOpen("read members")
        _ = try progress.requirePrepared("read members")
        return try MembersByOwner(relationship, schema: store.schema, ownersAreDeleted: true)
            .relatedIDs(of: owners, connection)
    }

    /// - Throws: `.closed` if the store is closed; `.engineFailure` if the save has ended.
    private func requireOpen(_ operation: String) throws(StoreError) {
        if store.isClosed { throw .closed(location) }
        try progress.requireRunning(operation)
    }

    func commit() throws(StoreError) -> SaveOutcome {
        try requireOpen("commit")
        let recomputed = try progress.beginCommit()
        do {
            try requireFiles { () throws(StoreError) in try store.session.requireFilesForCommit() }
            try connection.commit()
        } catch {
            // SQLite keeps the transaction open if it can.
            rollback()
            throw error
        }
        try requireCommitIsFound()
        let outcome = SaveOutcome(
            generation: store.readers.generationOfCommit(), recomputed: recomputed)
        let isWanted = store.noteObsoleteFiles(obsoleteFiles)
        store.copyLog(afterSaveOn: connection, isWanted: isWanted)
        end()
        return outcome
    }

    /// Returns whether a named save was committed, and ends the transaction.
    ///
    /// The log may still contain the end of a commit that failed, and a process that reads the log
    /// from its start would find it. Therefore this method commits before it returns: the new
    /// commit overwrites that end, and makes everything before it durable.
    ///
    /// - Throws: The errors of `commit`.
    func finalOutcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        defer { rollback() }
        let outcome = try NamedSavesTable(connection: connection).outcome(of: id)
        try connection.rewriteUserVersion()
        try progress.beginPreparing()
        progress.finishPreparing(RowBatch())
        _ = try commit()
        return outcome
    }

    /// Drops a column that a migration has kept, and commits. Returns `false` if the store has no such column.
    ///
    /// - Throws: The errors of `commit`.
    func dropDeferredColumn() throws(StoreError) -> Bool {
        defer { rollback() }
        guard let column = try DeferredColumn.first(in: connection) else { return false }
        try progress.beginPreparing()
        try connection.execute("ALTER TABLE \(column.table) DROP COLUMN \(column.name)")
        progress.finishPreparing(RowBatch())
        _ = try commit()
        return true
    }

    /// Commits changes of the history, and ends the transaction.
    ///
    /// - Throws: The errors of `commit` and of the body.
    func changeHistory<Answer>(
        _ change: (SaveContext) throws(StoreError) -> Answer
    ) throws(StoreError) -> Answer {
        try progress.beginPreparing()
        let answer = try change(try context(ExternalDataWriter(store.files.externalData)))
        progress.finishPreparing(RowBatch())
        _ = try commit()
        return answer
    }

    /// Ends the transaction without a commit, and removes files that no row refers to.
    ///
    /// - Returns: Whether they were removed. If a process reads an older state, which may refer to them, they
    ///   are removed later or when the store is closed.
    /// - Throws: `.engineFailure`.
    func removeFiles(_ names: Set<String>) throws(StoreError) -> Bool {
        try requireOpen("remove files")
        defer { rollback() }
        try connection.execute("ROLLBACK")
        _ = store.noteObsoleteFiles(names)
        guard Checkpoint(connection: connection).afterSave(isWanted: true) else { return false }
        store.removeObsoleteFiles()
        return true
    }

    /// Checks after a commit that the store's name leads to the file that contains the commit.
    ///
    /// - Throws: `.commitOutcomeUnknown` if the file lost its name during the commit. That file
    ///   then contains the save, but the store's location does not.
    private func requireCommitIsFound() throws(StoreError) {
        do {
            try requireFiles { () throws(StoreError) in try store.session.requireFiles() }
        } catch {
            // The committed rows refer to the save's external files, so these are kept.
            end()
            throw .commitOutcomeUnknown(
                EngineFailure(
                    type: SQLiteStore.type, location: location, operation: "commit", code: 0,
                    message: "\(error)"))
        }
    }

    /// Checks the store's names. If the check fails, makes sure that the log of this store's file
    /// is not read into another file.
    private func requireFiles(
        _ check: () throws(StoreError) -> Void
    ) throws(StoreError) {
        do {
            try check()
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            Checkpoint(connection: connection).truncateLogAfterLosingName()
            // The file that could record the reserved keys is out of reach, so only this process
            // knows them.
            reserved = [:]
            throw error
        }
    }

    func rollback() {
        if progress.hasEnded { return }
        if connection.isInTransaction { try? connection.execute("ROLLBACK") }
        for files in externalData { files.discard() }
        keepReservations()
        end()
    }

    /// Records the reserved keys after a rollback, so that they are never assigned again, not even
    /// by another process.
    ///
    /// If this fails, only this process remembers the keys.
    private func keepReservations() {
        guard !reserved.isEmpty, (try? store.session.requireFiles()) != nil else { return }
        do {
            try connection.execute("BEGIN IMMEDIATE")
            for (root, key) in reserved {
                let number = try store.rootSchema(of: root).storeNumber
                try PrimaryKeyTable(connection: connection).raise(root: number, to: key)
            }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
        }
    }

    /// Returns the connection to the store, then releases the lock.
    private func end() {
        guard progress.end() else { return }
        reserved = [:]
        store.takeBack(writer)
        lock = nil
    }
}
