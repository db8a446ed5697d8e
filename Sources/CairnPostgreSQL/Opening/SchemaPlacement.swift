import CairnEngineKit
import CairnModel
import CairnStore
import Foundation

/// Schemas in which stores are made for the name of another schema. A transaction, which is open from the beginning, keeps
/// other placements and saves away by locks, and renames the schemas at the end.
///
/// If its connection is lost, the locks are free, and the placement can no longer be finished.
final class SchemaPlacement: ServicePlacement {
    private let location: StoreLocation
    private let address: PostgreSQLAddress
    let replacedLocation: StoreLocation
    private let isReplacing: Bool
    private let pool: PostgresPool
    private let connection: PostgresConnection
    private var hasTransaction = true
    /// The schemas that exist until the placement ends.
    private var temporary: [String] = []

    /// - Throws: the errors of ``CairnStore/ServiceStore/placement(at:replacing:)``.
    init(at location: StoreLocation, replacing isReplacing: Bool) throws(StoreError) {
        self.location = location
        self.isReplacing = isReplacing
        address = try PostgreSQLAddress(location)
        replacedLocation = PostgreSQLAddress.placed(location) ?? location
        pool = PostgresPool(address, at: location, timeout: .seconds(5))
        var statements: [PostgresStatement] = [
            "BEGIN ISOLATION LEVEL READ COMMITTED",
            "SET LOCAL idle_in_transaction_session_timeout = 0",
            PostgresStatement(
                "SELECT pg_advisory_xact_lock(hashtextextended('cairn placement ' || $1, 0))",
                [.text(address.schema)]),
        ]
        if isReplacing { statements.append(SaveLocks.excluding(address.schema)) }
        do throws(StoreError) {
            (connection, _) = try pool.begin { (connection) throws(StoreError) in
                try connection.run(statements, for: "begin a placement", isCancellable: true)
            }
        } catch {
            pool.close()
            throw error
        }
        try removeAbandoned()
        if isReplacing { try requireNothingElse() }
    }

    deinit { discard() }

    /// The beginning of the names of temporary schemas for this location. A name of a schema may have 63 bytes, so that
    /// it cannot be part of another.
    private static func prefix(_ address: PostgreSQLAddress) -> String {
        let hash = Array(address.schema.utf8).withUnsafeBytes(Checksum.of)
        return PostgreSQLAddress.temporaryPrefix + String(hash, radix: 36) + "_"
    }

    /// The statement that reads the names of the temporary schemas for an address.
    static func temporarySchemas(of address: PostgreSQLAddress) -> PostgresStatement {
        PostgresStatement(
            "SELECT nspname::text FROM pg_namespace WHERE starts_with(nspname, $1)",
            [.text(prefix(address))])
    }

    private func newName() -> String {
        let name = Self.prefix(address) + String(UInt32.random(in: 0...(.max)), radix: 36)
        temporary.append(name)
        return name
    }

    /// Removes the schemas of placements whose process or connection ended. No other one has the locks.
    private func removeAbandoned() throws(StoreError) {
        let found = try connection.run(
            Self.temporarySchemas(of: address), for: "begin a placement")
        for row in 0..<found.rowCount { drop(found.text(row, 0)) }
    }

    /// Removes a schema, or leaves it to the next placement if that fails.
    private func drop(_ schema: String) {
        let statement = PostgresStatement("DROP SCHEMA IF EXISTS \(schema.quoted) CASCADE")
        guard (try? connection.runAnyway(statement, for: "remove")) == nil else { return }
        _ = try? pool.run([statement], for: "remove")
    }

    /// Other programs may have put tables, views or functions of their own into the schema, or may refer to its tables
    /// from others. They would be removed with the old schema.
    ///
    /// - Throws: `.unsupported`, `.engineFailure`.
    private func requireNothingElse() throws(StoreError) {
        let exists = try connection.run(
            PostgreSQLOpening.question(address), for: "begin a placement")
        guard try PostgreSQLOpening.answer(exists, location) else { return }
        let found = try connection.run(somethingElse, for: "begin a placement")
        guard found.rowCount > 0 else { return }
        let names = (0..<found.rowCount).map { found.text($0, 0) }.joined(separator: ", ")
        throw .unsupported(
            location, feature: "other programs' objects that depend on its tables: \(names)",
            advice: "Remove them, or move them to another schema, and create them again afterwards."
        )
    }

    /// The statement that reads the names of what is not the store's.
    private var somethingElse: PostgresStatement {
        let prefix = "\(address.schema.quoted)."
        return PostgresStatement(
            """
            WITH store AS (SELECT oid FROM pg_namespace WHERE nspname = $1),
                own AS (
                    SELECT c.oid FROM pg_class c JOIN store s ON c.relnamespace = s.oid
                    WHERE c.relkind = 'r' AND c.relname IN (
                        SELECT name FROM \(prefix)cairn_names WHERE role IN ('table', 'pairs')
                        UNION ALL SELECT unnest(ARRAY[\(SchemaCreation.ownTables)]))),
                found AS (
                    SELECT c.oid::regclass::text AS name FROM pg_class c JOIN store s ON c.relnamespace = s.oid
                    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.oid NOT IN (SELECT oid FROM own)
                    UNION SELECT p.oid::regprocedure::text FROM pg_proc p JOIN store s ON p.pronamespace = s.oid
                    UNION SELECT t.oid::regtype::text FROM pg_type t JOIN store s ON t.typnamespace = s.oid
                    WHERE t.typtype IN ('e', 'd', 'r')
                    UNION SELECT r.ev_class::regclass::text FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
                    WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
                        AND d.refobjid IN (SELECT oid FROM own) AND r.ev_class NOT IN (SELECT oid FROM own)
                    UNION SELECT k.conrelid::regclass::text FROM pg_constraint k
                    WHERE k.contype = 'f' AND k.confrelid IN (SELECT oid FROM own)
                        AND k.conrelid NOT IN (SELECT oid FROM own)
                    UNION SELECT i.inhrelid::regclass::text FROM pg_inherits i
                    WHERE i.inhparent IN (SELECT oid FROM own))
            SELECT name FROM found ORDER BY name LIMIT 5
            """, [.text(address.schema)])
    }

    func makeLocation() throws(StoreError) -> StoreLocation {
        guard let made = PostgreSQLAddress.temporary(newName(), beside: location) else {
            throw .unsupported(location, feature: "no address", advice: "Give the URL of a schema.")
        }
        return made
    }

    func finish(with made: StoreLocation?) throws(StoreError) -> Bool {
        let results = try connection.run(
            [
                PostgreSQLOpening.creationLock(address.schema),
                PostgreSQLOpening.question(address),
                PostgresStatement(
                    "SELECT 1 FROM pg_namespace WHERE nspname = $1", [.text(address.schema)]),
                "SET LOCAL lock_timeout = '5s'",
                """
                SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'
                """,
            ], for: "finish a placement")
        let exists = try PostgreSQLOpening.answer(results[1], location)
        guard exists ? isReplacing : made != nil else { return false }
        let name = address.schema.quoted
        var statements: [PostgresStatement] = []
        if exists {
            // Snapshots have locked these tables, so that none sees tables of two stores.
            let locking = PostgresStatement(
                "LOCK TABLE \(name).cairn_state, \(name).cairn_commits IN ACCESS EXCLUSIVE MODE")
            do throws(StoreError) {
                _ = try connection.run(locking, for: "finish a placement")
            } catch .busy {
                throw .locked(location, holder: "a program that reads it")
            } catch {
                throw error
            }
            try requireNothingElse()
        }
        if let made {
            let new = try PostgreSQLAddress(made).schema
            if exists { statements += keepingNames(in: new.quoted, from: name) }
            if exists {
                statements.append(
                    PostgresStatement("ALTER SCHEMA \(name) RENAME TO \(newName().quoted)"))
            } else if results[2].rowCount == 1 {
                // It is empty.
                statements.append(PostgresStatement("DROP SCHEMA \(name)"))
            }
            statements.append(PostgresStatement("ALTER SCHEMA \(new.quoted) RENAME TO \(name)"))
        } else {
            statements.append(
                PostgresStatement("ALTER SCHEMA \(name) RENAME TO \(newName().quoted)"))
        }
        _ = try connection.run(statements, for: "finish a placement")
        try connection.commit()
        hasTransaction = false
        return true
    }

    /// The new store answers questions about the saves of the old one.
    private func keepingNames(in new: String, from old: String) -> [PostgresStatement] {
        [
            PostgresStatement(
                "INSERT INTO \(new).cairn_saves SELECT * FROM \(old).cairn_saves ON CONFLICT DO NOTHING"
            ),
            PostgresStatement(
                "UPDATE \(new).cairn_state SET forgotten_name = (SELECT forgotten_name FROM \(old).cairn_state)"
            ),
        ]
    }

    func discard() {
        // The transaction may have failed or still hold locks. If it gave a schema its name, nothing has the old one.
        if hasTransaction { _ = try? connection.runAnyway("ROLLBACK", for: "remove") }
        for schema in temporary { drop(schema) }
        abandon()
    }

    /// Ends the placement as the end of its process would.
    func abandon() {
        connection.close()
        temporary = []
        pool.close()
    }
}
