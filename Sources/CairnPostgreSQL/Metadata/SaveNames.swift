import CairnStore
import Foundation

/// The names of the newest 1,000 named saves, each in a row of its own.
struct SaveNames {
    private static let capacity: Int64 = 1_000

    let schema: StoreSchema

    /// What the store knows about names when a save begins.
    struct State {
        /// The number of named saves so far.
        var count: Int64
        var greatestForgotten: SaveID?
    }

    /// Returns the statements that record a name, and forget the oldest one.
    func adding(_ id: SaveID, to state: State) -> [PostgresStatement] {
        let number = state.count + 1
        var statements = [
            PostgresStatement(
                "INSERT INTO \(schema.prefix)cairn_saves VALUES ($1, $2)",
                [.uuid(id.uuid), .integer(number)])
        ]
        if number > Self.capacity {
            statements.append(
                PostgresStatement(
                    """
                    WITH old AS (DELETE FROM \(schema.prefix)cairn_saves WHERE number <= $1 RETURNING name)
                    UPDATE \(schema.prefix)cairn_state SET greatest_forgotten = GREATEST(
                        greatest_forgotten, (SELECT name FROM old ORDER BY name DESC LIMIT 1))
                    """, [.integer(number - Self.capacity)]))
        }
        return statements
    }

    /// Returns the statement that reads the greatest name that the store knows.
    var greatest: PostgresStatement {
        PostgresStatement(
            "SELECT name FROM \(schema.prefix)cairn_saves ORDER BY name DESC LIMIT 1")
    }

    /// Returns whether the save with this name took place. The lock makes the answer final: a save that is still under
    /// way is waited for, also if its client is gone.
    ///
    /// - Throws: `.closed`, `.readOnly`, `.busy`, `.deadlineExceeded`, `.cancelled`, `.engineFailure`.
    func outcome(of id: SaveID, _ store: PostgreSQLStore) throws(StoreError) -> CommitOutcome {
        try store.requireWritable()
        let lock = SaveLock(schema: schema, timeout: store.timeout)
        let (connection, results) = try store.pool.begin { (connection) throws(StoreError) in
            try connection.run(
                lock.statements + [
                    PostgresStatement(
                        "SELECT count(*) FROM \(schema.prefix)cairn_saves WHERE name = $1",
                        [.uuid(id.uuid)])
                ], for: "look up a save", isCancellable: true)
        }
        store.pool.end(connection)
        if results.last?.integer(0, 0, as: Int64.self) != 0 { return .saved }
        let forgotten = try lock.state(results).names.greatestForgotten
        return SaveRecord.outcome(ofUnrecorded: id, greatestForgotten: forgotten)
    }
}
