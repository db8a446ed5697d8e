import CairnEngineKit
import CairnStore

/// The transactions of a store's history, each in a row of `cairn_history`.
///
/// The number of a transaction is that of the server's transaction, plus the column `history` of `cairn_state`. Such
/// numbers are not in the order of commits. Therefore transactions are shown only up to the oldest save of the store that
/// is still under way: later ones could get smaller numbers than one that was shown.
struct PostgresHistory: Sendable {
    let schema: StoreSchema
    let codec: HistoryCodec

    /// What a reader sees in one state.
    struct Answer {
        var newest: HistoryPosition?
        /// The position with the number that was asked for.
        var found: HistoryPosition?
        var transactions: [PersistentHistoryTransaction] = []
    }

    /// Lets the history begin, unless it has begun.
    ///
    /// - Throws: `.busy`, `.engineFailure`, `.commitOutcomeUnknown`.
    func begin(_ pool: PostgresPool, timeout: Duration) throws(StoreError) {
        try SaveLocks(schema: schema, timeout: timeout).changeAlone(
            [
                PostgresStatement(
                    "UPDATE \(schema.prefix)cairn_state SET history = 0 WHERE history IS NULL")
            ], pool, for: "begin the history")
    }

    // MARK: Writing

    /// Returns the statement that adds a save's transaction, whose number only the server knows.
    func adding(_ transaction: PersistentHistoryTransaction) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO \(schema.prefix)cairn_history
            SELECT history + pg_current_xact_id()::text::int8, $1, $2 FROM \(schema.prefix)cairn_state
            WHERE history IS NOT NULL
            """,
            [
                .integer(Int64(bitPattern: transaction.position.mark)),
                .bytes(codec.encode(transaction)),
            ])
    }

    /// Returns the statements that add transactions with their numbers. Later saves get greater ones.
    func adding(_ transactions: [PersistentHistoryTransaction]) -> [PostgresStatement] {
        guard let newest = transactions.last?.position.number else { return [] }
        var contents = PostgresArray(of: .bytea)
        for transaction in transactions { contents.append(bytes: codec.encode(transaction)) }
        let positions = transactions.map(\.position)
        return [
            PostgresStatement(
                "INSERT INTO \(schema.prefix)cairn_history SELECT * FROM unnest($1, $2, $3)",
                [
                    .integers(positions.map(\.number)),
                    .integers(positions.map { Int64(bitPattern: $0.mark) }), contents.parameter,
                ]),
            PostgresStatement(
                "UPDATE \(schema.prefix)cairn_state SET history = GREATEST(history, $1)",
                [.integer(newest)]),
        ]
    }

    /// Returns the statement that removes the transactions before a position, if the history has it.
    func purging(before position: HistoryPosition) -> PostgresStatement {
        PostgresStatement(
            """
            DELETE FROM \(schema.prefix)cairn_history WHERE number < $1
                AND EXISTS (SELECT 1 FROM \(schema.prefix)cairn_history WHERE number = $1 AND mark = $2)
                AND $3 = (SELECT max(tableoid)::int8 FROM \(schema.prefix)cairn_commits)
            """,
            [
                .integer(position.number), .integer(Int64(bitPattern: position.mark)),
                .integer(schema.identity),
            ])
    }

    // MARK: Reading

    /// How often the history is read again because a transaction ended while it was read.
    private static let mostAttempts = 20

    /// Reads the newest position, the position with a number, and at most `limit` transactions after it.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.engineFailure`; `.historyUnavailable` if the store keeps none; `.fileReplaced`
    ///   if another store took the schema's name.
    func read(
        _ pool: PostgresPool, after number: Int64?, limit: Int
    ) throws(StoreError) -> Answer {
        let question = question(after: number ?? .min, limit)
        for attempt in 1... {
            let result = try pool.run([question], for: "read the history", isCancellable: false)[0]
            if result.rowCount > 0, result.integer(0, 8) != schema.identity {
                throw schema.replaced
            }
            guard result.rowCount > 0, !result.isNull(0, 0) else {
                throw .historyUnavailable(schema.location, .notTracked)
            }
            // Nobody can tell any more whether the ended transaction was a save, so those after it were not read.
            if result.integer(0, 1) == Int64(0) || attempt == Self.mostAttempts {
                return try answer(result)
            }
        }
        return Answer()
    }

    /// One statement, so that it sees one state. A save holds the store's lock before it has a number and until it ends,
    /// so a running transaction without the lock is no save. `pg_locks` shows a later time than the state: of a
    /// transaction that is missing there, nothing is known.
    private func question(after number: Int64, _ limit: Int) -> PostgresStatement {
        PostgresStatement(
            """
            WITH locks AS MATERIALIZED (
                SELECT * FROM pg_locks WHERE granted AND locktype IN ('transactionid', 'advisory')),
            running AS MATERIALIZED (
                SELECT x.id::text::int8 AS number, t.transactionid IS NULL AS is_unknown
                FROM pg_snapshot_xip(pg_current_snapshot()) AS x(id)
                LEFT JOIN locks t ON t.locktype = 'transactionid' AND t.transactionid = x.id::xid
                WHERE t.transactionid IS NULL OR EXISTS (
                    SELECT 1 FROM locks a WHERE a.locktype = 'advisory' AND a.pid = t.pid AND a.objsubid = 1
                        AND a.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                        AND a.classid::int8 << 32 | a.objid::int8 = $1)),
            state AS MATERIALIZED (
                SELECT history, (SELECT count(*) FROM running WHERE is_unknown) AS unknown,
                    history + COALESCE((SELECT min(number) FROM running),
                        pg_snapshot_xmax(pg_current_snapshot())::text::int8) AS first_hidden
                FROM \(schema.prefix)cairn_state)
            SELECT state.history, unknown, n.number, n.mark, f.mark, p.number, p.mark, p.content,
                (SELECT max(tableoid)::int8 FROM \(schema.prefix)cairn_commits)
            FROM state
            LEFT JOIN LATERAL (
                SELECT number, mark FROM \(schema.prefix)cairn_history WHERE number < first_hidden
                ORDER BY number DESC LIMIT 1) n ON true
            LEFT JOIN \(schema.prefix)cairn_history f ON f.number = $2 AND f.number < first_hidden
            LEFT JOIN LATERAL (
                SELECT * FROM \(schema.prefix)cairn_history WHERE number > $2 AND number < first_hidden
                ORDER BY number LIMIT $3) p ON true
            ORDER BY p.number
            """,
            [
                .integer(SaveLocks(schema: schema, timeout: .zero).storeNumber), .integer(number),
                .integer(Int64(limit)),
            ])
    }

    private func answer(_ result: PostgresResult) throws(StoreError) -> Answer {
        var answer = Answer()
        answer.newest = position(result, 0, 2, 3)
        if let mark = result.integer(0, 4, as: Int64.self) {
            answer.found = HistoryPosition(number: 0, mark: UInt64(bitPattern: mark))
        }
        for row in 0..<result.rowCount {
            guard let position = position(result, row, 5, 6) else { break }
            guard var transaction = codec.decode(result.bytes(row, 7)) else {
                throw schema.corrupt(
                    "cairn_history", "the transaction \(position.number) cannot be read")
            }
            transaction.position = position
            answer.transactions.append(transaction)
        }
        return answer
    }

    private func position(
        _ result: PostgresResult, _ row: Int, _ number: Int, _ mark: Int
    ) -> HistoryPosition? {
        guard let number = result.integer(row, number, as: Int64.self),
            let mark = result.integer(row, mark, as: Int64.self)
        else { return nil }
        return HistoryPosition(number: number, mark: UInt64(bitPattern: mark))
    }
}
