import CairnModel
import CairnRows
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// One state of a store: a read-only transaction on a connection of its own.
final class PostgreSQLSnapshot: StoreSnapshot {
    private struct Session: Sendable {
        /// The connection, or `nil` after the snapshot has ended.
        var connection: PostgresConnection?
        var cursorCount = 0
        /// The cursors to close with the next statement.
        var closing: [String] = []
    }

    let generation: StoreGeneration
    let schema: StoreSchema
    private let pool: PostgresPool
    private let states: KnownStates
    private let session: Mutex<Session>

    private init(
        _ connection: PostgresConnection, generation: StoreGeneration, _ states: KnownStates,
        schema: StoreSchema, pool: PostgresPool
    ) {
        self.states = states
        self.generation = generation
        self.schema = schema
        self.pool = pool
        session = Mutex(Session(connection: connection))
    }

    deinit { end() }

    /// Begins the transaction.
    static func begin(
        _ pool: PostgresPool, _ schema: StoreSchema, _ states: KnownStates
    ) throws(StoreError) -> PostgreSQLSnapshot {
        let (connection, number) = try pool.begin { (connection) throws(StoreError) in
            let results = try connection.run(
                [
                    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
                    // A batch of a cursor is followed by the next one, so the whole fetch should be fast.
                    "SET LOCAL cursor_tuple_fraction = 1", states.question,
                ], for: "read")
            return try states.read(results[2])
        }
        return PostgreSQLSnapshot(
            connection, generation: number, states, schema: schema, pool: pool)
    }

    /// Runs statements in the transaction.
    ///
    /// - Throws: `.closed`; the errors of ``PostgresConnection/run(_:for:isCancellable:)``.
    func run(
        _ statements: [PostgresStatement], isCancellable: Bool = false
    ) throws(StoreError) -> [PostgresResult] {
        // Several threads may use the snapshot, so the lock is held during a wait.
        try TurnExecutor.whileWaiting { () throws(StoreError) in
            try session.withLock { (session) throws(StoreError) in
                try run(statements, &session, isCancellable)
            }
        }
    }

    private func run(
        _ statements: [PostgresStatement], _ session: inout Session, _ isCancellable: Bool
    ) throws(StoreError) -> [PostgresResult] {
        try pool.requireOpen()
        guard let connection = session.connection else { throw .closed(schema.location) }
        let closing = session.closing.map { PostgresStatement("CLOSE \($0)") }
        guard !statements.isEmpty else {
            try StoreDeadline.check()
            return []
        }
        session.closing = []
        let results = try connection.run(
            closing + statements, for: "read", isCancellable: isCancellable)
        return Array(results.dropFirst(closing.count))
    }

    func end() {
        let connection = session.withLock { session in
            defer { session.connection = nil }
            return session.connection
        }
        if let connection { pool.end(connection) }
    }

    /// One round trip costs as much as reading thousands of rows, so calls are large.
    var readPreferences: ReadPreferences {
        ReadPreferences(rowsPerBatch: 4096, idsPerCall: 50_000, sendsRowsWithMembers: true)
    }

    // MARK: Fetching

    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        try pool.requireOpen()
        return PostgreSQLCursor(plan, PostgresFetch(plan, schema), self)
    }

    func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        let query = PostgresFetch(plan, schema)
        guard query.completed.isComplete else { return nil }
        guard let statement = query.count else {
            try pool.requireOpen()
            return 0
        }
        try plan.checkCancellation()
        let count = try run([statement], isCancellable: plan.isCancellable)[0].integer(
            0, 0, as: Int64.self)
        return count.map { Int($0) }
    }

    /// Returns a name for a new cursor.
    func takeCursorName() -> String {
        session.withLock { session in
            session.cursorCount += 1
            return "c\(session.cursorCount)"
        }
    }

    func closeCursor(_ name: String) { session.withLock { $0.closing.append(name) } }

    // MARK: Rows and members

    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        try PostgresRowsByKey(ids, schema).read { (statements) throws(StoreError) in
            try run(statements)
        }
    }

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        let answer = try related([RelatedQuestion(relationship, of: ids)])
        return answer.members.first ?? RelatedIDs()
    }

    /// Answers all questions in one round trip, with the rows.
    func related(_ questions: [RelatedQuestion]) throws(StoreError) -> RelatedAnswer {
        var statements: [PostgresStatement] = []
        var asked: [(reader: PostgresMemberReader, members: Int?, rows: Int?)] = []
        for question in questions {
            let reader = PostgresMemberReader(relationship: question.relationship, schema: schema)
            let keys = reader.keys(of: question.owners)
            var (members, rows) = (nil as Int?, nil as Int?)
            if !keys.isEmpty, let statement = reader.statement(ownedBy: keys) {
                members = statements.count
                statements.append(statement)
                if question.includesRows, let statement = reader.rowStatement(ownedBy: keys) {
                    rows = statements.count
                    statements.append(statement)
                }
            }
            asked.append((reader, members, rows))
        }
        guard !statements.isEmpty else {
            try pool.requireOpen()
            return try answer(questions, asked, [])
        }
        return try answer(questions, asked, try run(statements))
    }

    private func answer(
        _ questions: [RelatedQuestion],
        _ asked: [(reader: PostgresMemberReader, members: Int?, rows: Int?)],
        _ results: [PostgresResult]
    ) throws(StoreError) -> RelatedAnswer {
        var answer = RelatedAnswer()
        var known = Set<ObjectID>()
        for (question, asked) in zip(questions, asked) {
            answer.members.append(
                try asked.reader.relatedIDs(
                    of: question.owners, asked.members.map { results[$0] }))
            guard let index = asked.rows,
                let table = schema.table(of: question.relationship.destination)
            else { continue }
            var reader = PostgresRowReader(schema, rowCount: results[index].rowCount)
            try reader.append(results[index], of: table)
            let batch = reader.takeBatch()
            // Two questions may lead to the same row.
            answer.rows.append(
                batch.selecting(batch.rowIndices.filter { known.insert(batch.id(at: $0)).inserted })
            )
        }
        return answer
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try pool.requireOpen()
        throw .externalDataMissing(reference, path: "")
    }

    func changes(since generation: StoreGeneration) throws(StoreError) -> StoreChanges? {
        guard generation <= self.generation, let old = states.description(of: generation) else {
            return nil
        }
        return try ChangeLog(schema: schema).changes(since: old) {
            (statements) throws(StoreError) in try run(statements)
        }
    }
}
