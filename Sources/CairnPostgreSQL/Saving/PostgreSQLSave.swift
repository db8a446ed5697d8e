import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// One save: a transaction that begins when the request is prepared. It locks the rows that it writes and those that it
/// refers to, so saves of different objects do not wait for each other.
final class PostgreSQLSave: SaveTransaction {
    /// What is ready to be committed.
    private struct Prepared {
        var changesObjects: Bool
        var recomputed = RowBatch()
    }

    private let store: PostgreSQLStore
    /// The connection with the open transaction, or `nil` if nothing has been sent.
    private var connection: PostgresConnection?
    private var progress: SaveProgress<Prepared>
    /// What the parts of the save have left to the commit, or `nil` if it does not come in parts.
    private var parts: SaveParts?

    private var schema: StoreSchema { store.schema }
    private var location: StoreLocation { store.request.location }

    /// Sends nothing.
    ///
    /// - Throws: `.closed`, `.readOnly`.
    init(_ store: PostgreSQLStore) throws(StoreError) {
        try store.requireWritable()
        try StoreDeadline.check()
        self.store = store
        progress = SaveProgress(of: PostgreSQLStore.type, at: store.request.location)
    }

    deinit { rollback() }

    /// Reserves keys for good, whatever becomes of the save.
    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        try progress.requireRunning("reserve keys")
        return try store.takeKeys(counts)
    }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        try progress.beginPreparing()
        progress.finishPreparing(try checkAndWrite(request))
    }

    /// Prepares a part of a save. Parts are never undone alone.
    func prepareNext(_ request: SaveRequest) throws(StoreError) -> RowBatch {
        guard request.part != nil else {
            try prepare(request)
            return RowBatch()
        }
        let before = try progress.beginPreparingNext()
        if parts == nil { parts = SaveParts(schema) }
        let prepared = try checkAndWrite(request)
        progress.finishPreparing(
            Prepared(changesObjects: prepared.changesObjects || before?.changesObjects == true))
        return prepared.recomputed
    }

    private func checkAndWrite(_ request: SaveRequest) throws(StoreError) -> Prepared {
        try store.pool.requireOpen()
        try request.requireWellFormed(for: PostgreSQLStore.type, at: location)
        try requireHeld(request)
        return try write(request)
    }

    func commit() throws(StoreError) -> SaveOutcome {
        let prepared = try progress.beginCommit()
        try store.pool.requireOpen()
        guard let connection else {
            _ = progress.end()
            return SaveOutcome(generation: try store.newestGeneration())
        }
        if let parts {
            let conflicts = try parts.conflicts(connection)
            if !conflicts.isEmpty { throw .referenceConflicts(conflicts) }
            if let transaction = parts.transaction {
                _ = try connection.run([store.historyTable.adding(transaction)], for: "commit")
            }
        }
        let counting = prepared.changesObjects ? [store.states.counting] : []
        let results = try connection.commit(
            after: counting, reading: store.states.question, then: store.countSave())
        _ = progress.end()
        store.pool.giveBack(connection)
        let generation = try store.states.read(results[results.count - 1])
        var outcome = SaveOutcome(generation: generation, recomputed: prepared.recomputed)
        if prepared.changesObjects, let before = results[0].integer(0, 0, as: UInt64.self),
            generation.rawValue == before &+ 1
        {
            outcome.base = StoreGeneration(before)
        }
        return outcome
    }

    func rollback() {
        if progress.end(), let connection { store.pool.end(connection) }
    }

    func keepOthersWaiting() throws(StoreError) {
        try progress.requireRunning("keep others waiting")
        if connection == nil { connection = try begin(isAlone: true, []).connection }
    }

    // MARK: Checks

    private func requireHeld(_ request: SaveRequest) throws(StoreError) {
        for row in request.updated.lazy.map(\.row) + Array(request.inserted.rows) {
            try store.held.requireRows(of: row.entity, below: row.rootEntity)
            guard schema.tables[row.rootEntity]?.slots[row.entity] != nil else {
                throw .unsupported(
                    location, feature: "no table for objects of \(schema.name(of: row.entity))",
                    advice: HeldEntities.advice(isListed: false))
            }
        }
        for deletion in request.deleted { try store.held.require(deletion.id.rootEntity) }
        for pair in request.pairs {
            try store.held.require(pair.owner.rootEntity)
            try store.held.require(pair.member.rootEntity)
        }
    }

    // MARK: Writing

    /// Runs the first statements of the transaction. Keys for later saves are reserved with them.
    private func begin(
        isAlone: Bool, greatest: [EntityNumber: Int64] = [:], _ statements: [PostgresStatement]
    ) throws(StoreError) -> (connection: PostgresConnection, results: [PostgresResult]) {
        let wanted = store.keys.wanted().compactMap { root, count in
            schema.number(of: root).map { (root: root, number: $0, count: count) }
        }
        var first = KeyBlocks.reserving(wanted.map { ($0.number, $0.count) }, schema)
        let reserving = first.count
        if !store.keys.include(greatest) { first += including(greatest) }
        let begun = try SaveLocks(schema: schema, timeout: store.timeout).begin(
            store.pool, isAlone: isAlone, after: first, statements, for: "prepare")
        if begun.keepsHistory { store.noteHistory() }
        for (index, it) in zip(stride(from: 1, to: reserving, by: 2), wanted) {
            store.keys.add(begun.first[index], of: it.root)
        }
        return (begun.connection, begun.results)
    }

    /// Regards the keys of rows that a copy brings along as reserved.
    private func including(_ greatest: [EntityNumber: Int64]) -> [PostgresStatement] {
        greatest.sorted { $0.key < $1.key }.compactMap { root, key in
            guard let number = schema.number(of: root) else { return nil }
            return PostgresStatement(
                """
                UPDATE \(schema.prefix)cairn_entities SET next_key = $2 WHERE number = $1 AND next_key < $2
                """, [.integer16(number), .integer(key == .max ? .max : key + 1)], endsUnit: true)
        }
    }

    /// Writes the request. Without derived attributes, this takes one round trip.
    private func write(_ request: SaveRequest) throws(StoreError) -> Prepared {
        if request.changesNothing { return Prepared(changesObjects: false) }
        var greatest: [EntityNumber: Int64] = [:]
        for row in request.inserted.rows {
            greatest[row.rootEntity] = max(greatest[row.rootEntity] ?? 0, row.key)
        }
        let references = ReferenceChecks(
            request, schema, checksDestinations: store.checksReferences, isPart: parts != nil)
        var writing = RequestWriting(request, schema)
        var pass = DerivationPass(
            store.derivedAttributes, layouts: schema.layouts, store: store.number, of: request)
        var state: SavedState?
        if store.savesAlone, !request.isEmpty {
            let connection: PostgresConnection
            if let begun = self.connection {
                connection = begun
            } else {
                connection = try begin(isAlone: true, greatest: greatest, []).connection
                self.connection = connection
            }
            let now = SavedState(schema: schema, connection: connection)
            try pass.noteDependents(in: now)
            try references.noteLosses(in: now)
            state = now
        } else {
            writing.add(
                UniquenessCheck.locking(
                    request, SaveLocks(schema: schema, timeout: store.timeout)))
        }
        // Those of the first part are noted when the transaction begins.
        if parts != nil, connection != nil, !store.keys.include(greatest) {
            writing.add(including(greatest))
        }
        var isRecorded = store.keepsHistory
        if isRecorded { try record(request, greatest, &writing) }
        references.addLocks(to: &writing)
        try writing.addRows()
        references.addShares(to: &writing)
        writing.addPairs()
        var computed: [Row] = []
        if let state {
            try flush(&writing, request)
            while let rows = try pass.nextRows(in: state) {
                try writing.addComputed(rows.map(\.new))
                try flush(&writing, request)
            }
            computed = pass.computedRows
        }
        writing.add(
            request.metadata.map { name, value in
                PostgresStatement(
                    """
                    INSERT INTO \(schema.prefix)cairn_metadata VALUES ($1, $2)
                    ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value
                    """, [.text(name), .bytes(value.bytes)])
            })
        writing.add(ChangeLog(schema: schema).adding(writing.changes(computed)))
        var isNamed = true
        if let id = request.id {
            writing.add(SaveNames(schema: schema).adding(id)) { isNamed = $0.changedCount == 1 }
        }
        references.addQuestions(to: &writing)
        let unique = UniquenessCheck(request, computed, schema)
        var equal: [PostgresResult] = []
        for statement in unique.statements { writing.add(statement) { equal.append($0) } }
        try flush(&writing, request, greatest: greatest)
        guard let connection else { return Prepared(changesObjects: false) }
        if !isNamed, let id = request.id { throw try tooSmall(id, connection) }
        if store.keepsHistory, !isRecorded {
            // The history has begun since the store was opened.
            var recorder = HistoryRecorder(schema.layouts)
            if request.deleted.contains(where: { recorder.preservesValues(below: $0.id) }) {
                // Their values are no longer there to be recorded. The coordinator begins again.
                throw transientFailure("the store began to keep a history")
            }
            isRecorded = true
            try record(request, greatest, &writing)
            try flush(&writing, request)
        }
        if parts == nil { try references.finish(in: state) }
        parts?.take(references)
        let broken = references.conflicts
        if !broken.isEmpty { throw .referenceConflicts(broken) }
        try unique.requireNone(equal, connection)
        return Prepared(changesObjects: !request.isEmpty, recomputed: RowBatch(computed))
    }

    /// Runs what has been added. If rows were not as the request expects them, undoes it and reports the conflicts.
    private func flush(
        _ writing: inout RequestWriting, _ request: SaveRequest,
        greatest: [EntityNumber: Int64] = [:]
    ) throws(StoreError) {
        let results: [PostgresResult]
        if let connection {
            results = try connection.run(writing.statements, for: "prepare")
        } else {
            let begun = try begin(isAlone: false, greatest: greatest, writing.statements)
            (connection, results) = (begun.connection, begun.results)
        }
        if try !writing.read(results) { throw try conflicts(request) }
    }

    /// Adds the request to the history, with the values that the history preserves of deleted objects. The parts of a save
    /// are added together, before the commit.
    private func record(
        _ request: SaveRequest, _ greatest: [EntityNumber: Int64], _ writing: inout RequestWriting
    ) throws(StoreError) {
        var recorder = HistoryRecorder(schema.layouts)
        let preserving = request.deleted.map(\.id).filter { recorder.preservesValues(below: $0) }
        var deleted: [ObjectID: Row] = [:]
        if !preserving.isEmpty {
            let connection: PostgresConnection
            if let begun = self.connection {
                connection = begun
            } else {
                connection = try begin(isAlone: false, greatest: greatest, []).connection
                self.connection = connection
            }
            let rows = try SavedState(schema: schema, connection: connection).rows(for: preserving)
            for row in rows.compactMap(\.self) { deleted[row.id] = row }
        }
        let transaction = recorder.transaction(
            of: request, after: nil, storeID: store.historyTable.codec.storeID
        ) { deleted[$0] }
        guard let transaction else { return }
        if parts == nil {
            writing.add(store.historyTable.adding(transaction))
        } else if parts?.transaction == nil {
            parts?.transaction = transaction
        } else {
            parts?.transaction?.changes += transaction.changes
        }
    }

    private func tooSmall(
        _ id: SaveID, _ connection: PostgresConnection
    ) throws(StoreError) -> StoreError {
        let result = try connection.run(SaveNames(schema: schema).greatest, for: "prepare")
        let known = result.rowCount == 1 ? SaveID(bytes: Array(result.bytes(0, 0))) : nil
        return .saveNameTooSmall(location, greatest: known ?? id)
    }

    /// Returns the conflicts with the rows that others have saved.
    private func conflicts(_ request: SaveRequest) throws(StoreError) -> StoreError {
        guard let connection else { return progress.misuse("prepare", "nothing was written") }
        _ = try connection.run("ROLLBACK", for: "prepare")
        let ids = request.updated.map(\.row.id) + request.deleted.map(\.id) + request.inserted.ids
        let batch = try PostgresRowsByKey(ids, schema).read { (statements) throws(StoreError) in
            statements.isEmpty ? [] : try connection.run(statements, for: "prepare")
        }
        let stored = Dictionary(
            batch.rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let conflicts = request.rowConflicts { stored[$0] }
        guard conflicts.isEmpty else {
            // Another program may have used keys that this handle still has.
            if conflicts.contains(where: { $0.expectedVersion == 0 }) { store.keys.giveUp() }
            return .rowConflicts(conflicts)
        }
        return transientFailure("another save changed rows and changed them back")
    }

    private func transientFailure(_ message: String) -> StoreError {
        .engineFailure(
            EngineFailure(
                type: PostgreSQLStore.type, location: location, operation: "prepare", code: 0,
                message: message, isTransient: true))
    }
}
