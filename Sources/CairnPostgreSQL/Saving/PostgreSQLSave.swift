import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// One save: a transaction that holds the store's lock.
final class PostgreSQLSave: SaveTransaction {
    /// The state that the save is based on.
    let base: StoreGeneration
    /// The keys that were reserved when the save began.
    let keys: [EntityNumber: Range<Int64>]
    private let store: PostgreSQLStore
    private let names: SaveNames.State
    private let connection: PostgresConnection
    private var progress: SaveProgress<SaveOutcome>

    private var schema: StoreSchema { store.schema }
    private var location: StoreLocation { store.request.location }

    /// Reserves keys, begins the transaction and takes the lock, in one round trip.
    ///
    /// - Throws: the errors of ``PostgreSQLStore/beginSave(reserving:)``.
    init(_ store: PostgreSQLStore, reserving counts: [EntityNumber: Int]) throws(StoreError) {
        try store.requireWritable()
        let reservation = try KeyReservation(counts, store)
        let lock = SaveLock(schema: store.schema, timeout: store.timeout)
        let (connection, results) = try store.pool.begin { (connection) throws(StoreError) in
            try connection.run(
                reservation.statements + lock.statements, for: "begin", isCancellable: true)
        }
        do throws(StoreError) {
            let count = reservation.statements.count
            keys = try reservation.keys(Array(results.prefix(count)))
            (base, names) = try lock.state(Array(results.dropFirst(count)))
        } catch {
            store.pool.end(connection)
            throw error
        }
        self.store = store
        self.connection = connection
        progress = SaveProgress(of: PostgreSQLStore.type, at: store.request.location)
    }

    deinit { rollback() }

    /// Reserves keys on another connection, so that they stay reserved if the save is rolled back.
    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        try progress.requireRunning("reserve keys")
        try store.pool.requireOpen()
        let reservation = try KeyReservation(counts, store)
        guard !reservation.statements.isEmpty else { return [:] }
        return try reservation.keys(store.pool.run(reservation.statements, for: "reserve keys"))
    }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        try progress.beginPreparing()
        try store.pool.requireOpen()
        try request.requireWellFormed(for: PostgreSQLStore.type, at: location)
        try requireHeld(request)
        if let id = request.id { try requireAnswerable(id) }
        try KeyReservation.noteKeys(of: request.inserted, store)
        progress.finishPreparing(try write(request))
    }

    func members(
        _ relationship: Relationship, ofDeleted owners: [ObjectID]
    ) throws(StoreError) -> RelatedIDs? {
        _ = try progress.requirePrepared("read members")
        let reader = PostgresMemberReader(
            relationship: relationship, schema: schema, ownersAreDeleted: true)
        guard let statement = reader.statement(ownedBy: reader.keys(of: owners)) else {
            return try reader.relatedIDs(of: owners, nil)
        }
        return try reader.relatedIDs(of: owners, connection.run(statement, for: "read members"))
    }

    func commit() throws(StoreError) -> SaveOutcome {
        let outcome = try progress.beginCommit()
        try store.pool.requireOpen()
        try connection.commit()
        _ = progress.end()
        store.pool.giveBack(connection)
        return outcome
    }

    func rollback() {
        if progress.end() { store.pool.end(connection) }
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

    private func requireAnswerable(_ id: SaveID) throws(StoreError) {
        guard let forgotten = names.greatestForgotten, id <= forgotten else { return }
        let result = try connection.run(SaveNames(schema: schema).greatest, for: "prepare")
        let known = result.rowCount == 1 ? SaveID(bytes: Array(result.bytes(0, 0))) : nil
        throw .saveNameTooSmall(location, greatest: max(forgotten, known ?? forgotten))
    }

    // MARK: Writing

    /// Writes the request. Without derived attributes, this takes one round trip.
    private func write(_ request: SaveRequest) throws(StoreError) -> SaveOutcome {
        guard !request.isEmpty else {
            if let id = request.id { _ = try connection.run(recording(id), for: "prepare") }
            return SaveOutcome(generation: base)
        }
        var pass = DerivationPass(
            store.derivedAttributes, layouts: schema.layouts, store: store.number, of: request)
        let state = SavedState(schema: schema, connection: connection)
        try pass.noteDependents(in: state)
        var writing = RequestWriting(request, schema)
        try writing.addRows()
        writing.addPairs()
        var computed: [Row] = []
        if !store.derivedAttributes.isEmpty {
            try flush(&writing, request)
            while let rows = try pass.nextRows(in: state) {
                try writing.addComputed(rows.map(\.new))
                try flush(&writing, request)
            }
            computed = pass.computedRows
        }
        let generation = Int64(bitPattern: base.rawValue) + 1
        var statements = request.metadata.map { name, value in
            PostgresStatement(
                """
                INSERT INTO \(schema.prefix)cairn_metadata VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value
                """, [.text(name), .bytes(value.bytes)])
        }
        statements += ChangeLog(schema: schema).adding(
            writing.changes(computed), generation: generation)
        statements.append(
            PostgresStatement(
                "UPDATE \(schema.prefix)cairn_state SET generation = $1", [.integer(generation)]))
        if let id = request.id { statements += recording(id) }
        writing.add(statements)
        let unique = UniquenessCheck(request, computed, schema)
        writing.add(unique.statements)
        let results = try flush(&writing, request)
        try unique.requireNone(Array(results.suffix(unique.statements.count)), connection)
        return SaveOutcome(
            generation: StoreGeneration(UInt64(generation)), recomputed: RowBatch(computed))
    }

    private func recording(_ id: SaveID) -> [PostgresStatement] {
        SaveNames(schema: schema).adding(id, to: names) + [
            PostgresStatement(
                "UPDATE \(schema.prefix)cairn_state SET named_saves = $1",
                [.integer(names.count + 1)])
        ]
    }

    /// Runs what has been added. If rows were not as the request expects them, undoes it and reports the conflicts.
    @discardableResult
    private func flush(
        _ writing: inout RequestWriting, _ request: SaveRequest
    ) throws(StoreError) -> [PostgresResult] {
        let (statements, expected) = writing.take()
        guard !statements.isEmpty else { return [] }
        let results = try connection.run(statements, for: "prepare")
        guard zip(results, expected).contains(where: { $1 != nil && $0.changedCount != $1 }) else {
            return results
        }
        throw try conflicts(request)
    }

    /// Returns the conflicts with the rows from before the save.
    private func conflicts(_ request: SaveRequest) throws(StoreError) -> StoreError {
        _ = try connection.run("ROLLBACK TO SAVEPOINT cairn", for: "prepare")
        let ids = request.updated.map(\.row.id) + request.deleted.map(\.id) + request.inserted.ids
        let batch = try PostgresRowsByKey(ids, schema).read { (statements) throws(StoreError) in
            statements.isEmpty ? [] : try connection.run(statements, for: "prepare")
        }
        let stored = Dictionary(
            batch.rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let conflicts = request.rowConflicts { stored[$0] }
        guard conflicts.isEmpty else { return .rowConflicts(conflicts) }
        return progress.misuse("prepare", "rows were not written, although they are as expected")
    }
}
