import CairnStore
import Foundation

/// The names of the newest 1,000 or more named saves, each in a row of its own.
struct SaveNames {
    let schema: StoreSchema

    /// Returns the statement that records a name. It adds no row if the name is not greater than those that were
    /// forgotten.
    func adding(_ id: SaveID) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO \(schema.prefix)cairn_saves (name) SELECT $1 FROM \(schema.prefix)cairn_state
            WHERE forgotten_name IS NULL OR forgotten_name < $1
            """, [.uuid(id.uuid)])
    }

    /// The statement that reads the greatest name that the store knows or has forgotten.
    var greatest: PostgresStatement {
        PostgresStatement(
            """
            SELECT GREATEST(forgotten_name, (SELECT name FROM \(schema.prefix)cairn_saves ORDER BY name DESC LIMIT 1))
            FROM \(schema.prefix)cairn_state
            """)
    }

    /// The statement that removes the oldest names and changes, so that their tables stay small. It leaves at least
    /// 1,000 names, and the changes of 4,096 saves.
    var pruning: PostgresStatement {
        func old(_ table: String, _ kept: Int, _ column: String) -> String {
            """
            DELETE FROM \(schema.prefix)\(table) WHERE save < (SELECT save FROM \(schema.prefix)\(table) \
            GROUP BY save ORDER BY save DESC OFFSET \(kept - 1) LIMIT 1) RETURNING \(column)
            """
        }
        return PostgresStatement(
            """
            WITH names AS (\(old("cairn_saves", 1_000, "name"))),
                changes AS (\(old("cairn_changes", 4_096, "save")))
            UPDATE \(schema.prefix)cairn_state SET
                forgotten_name = GREATEST(forgotten_name, (SELECT name FROM names ORDER BY name DESC LIMIT 1)),
                forgotten_change = GREATEST(forgotten_change, (SELECT save FROM changes ORDER BY save DESC LIMIT 1))
            WHERE EXISTS (SELECT 1 FROM names) OR EXISTS (SELECT 1 FROM changes)
            """)
    }

    /// Returns whether the save with this name took place. The name is recorded and taken back, which waits for a save
    /// with this name that is still under way, also if its client is gone. A client sends the commit after it has heard
    /// that the name was recorded, so a save whose name was never seen will not take place.
    ///
    /// - Throws: `.closed`, `.readOnly`, `.fileReplaced`, `.busy`, `.deadlineExceeded`, `.cancelled`, `.engineFailure`.
    func outcome(of id: SaveID, _ store: PostgreSQLStore) throws(StoreError) -> CommitOutcome {
        try store.requireWritable()
        let locks = SaveLocks(schema: schema, timeout: store.timeout)
        // A store that replaced this one knows its names.
        let begun = try locks.begin(
            store.pool, isAlone: false, mayBeReplaced: true,
            [
                PostgresStatement(
                    "INSERT INTO \(schema.prefix)cairn_saves (name) VALUES ($1) ON CONFLICT DO NOTHING",
                    [.uuid(id.uuid)]),
                PostgresStatement(
                    "SELECT forgotten_name, identifier::text FROM \(schema.prefix)cairn_state"),
            ], for: "look up a save")
        let (connection, state) = (begun.connection, begun.results[1])
        guard state.text(0, 1).uppercased() == store.historyTable.codec.storeID.uppercased() else {
            store.pool.end(connection)
            throw schema.replaced
        }
        guard begun.results[0].changedCount == 1 else {
            try confirm(id, connection, store)
            return .saved
        }
        store.pool.end(connection)
        let forgotten = state.isNull(0, 0) ? nil : SaveID(bytes: Array(state.bytes(0, 0)))
        return SaveRecord.outcome(ofUnrecorded: id, greatestForgotten: forgotten)
    }

    /// Commits a change after the save's, which waits for the disk and for the standbys: the save's own commit may have
    /// ended its wait for them too early.
    ///
    /// - Throws: `.commitOutcomeUnknown`, `.engineFailure`.
    private func confirm(
        _ id: SaveID, _ connection: PostgresConnection, _ store: PostgreSQLStore
    ) throws(StoreError) {
        do throws(StoreError) {
            let change = PostgresStatement(
                "UPDATE \(schema.prefix)cairn_saves SET name = name WHERE name = $1",
                [.uuid(id.uuid)])
            _ = try connection.run(change, for: "look up a save")
            try connection.commit()
        } catch {
            store.pool.end(connection)
            throw error
        }
        store.pool.giveBack(connection)
    }
}
