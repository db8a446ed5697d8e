import CairnEngineKit
import CairnModel
import CairnModelArchive
import CairnRows
import CairnStore
import Foundation

/// Finds or creates a store, and checks that the model fits.
struct PostgreSQLOpening {
    let request: OpenRequest
    let timeout: Duration
    let pool: PostgresPool
    let number: StoreNumber
    let schema: StoreSchema
    let held: HeldEntities
    let derivedAttributes: DerivedAttributes

    /// - Throws: the errors of ``CairnStore/PersistentStore/open(_:)``.
    init(_ request: OpenRequest) throws(StoreError) {
        self.request = request
        try request.options.requireKnown(
            PostgreSQLStore.capabilities.options, by: "a PostgreSQL store")
        timeout = try request.options.timeout()
        held = try HeldEntities(request)
        derivedAttributes = try DerivedAttributes(request.model, at: request.location)
        let address = try PostgreSQLAddress(request.location)
        pool = PostgresPool(address, at: request.location, timeout: timeout)
        do throws(StoreError) {
            if try !Self.exists(request, address, pool) {
                guard request.createsMissing, !request.isReadOnly else {
                    throw .notFound(request.location)
                }
                try Self.create(request, address, pool)
            }
            let table = MetadataTables(
                prefix: "\(address.schema.quoted).", location: request.location)
            let record = try table.read(pool)
            try CompatibilityCheck(
                request: request, stored: record.metadata.entityVersionHashes,
                cachedModel: record.model
            ).run()
            number = StoreDirectory.shared.number(
                identifier: record.metadata.identifier, location: request.location,
                model: request.model)
            schema = StoreSchema(
                request, store: number, schema: address.schema, record.names,
                entities: record.entities)
        } catch {
            pool.close()
            throw error
        }
    }

    /// Returns whether the schema holds a store.
    ///
    /// - Throws: `.notAStore` if it holds something else.
    private static func exists(
        _ request: OpenRequest, _ address: PostgreSQLAddress, _ pool: PostgresPool
    ) throws(StoreError) -> Bool {
        let result = try pool.run([question(address)], for: "open")[0]
        return try answer(result, request)
    }

    private static func question(_ address: PostgreSQLAddress) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT count(*), count(*) FILTER (WHERE relname = 'cairn_state') FROM pg_class
            WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
            """, [.text(address.schema)])
    }

    private static func answer(
        _ result: PostgresResult, _ request: OpenRequest
    ) throws(StoreError) -> Bool {
        let (all, own) = (
            result.integer(0, 0, as: Int64.self), result.integer(0, 1, as: Int64.self)
        )
        if own == 1 { return true }
        if all == 0 { return false }
        throw .notAStore(
            request.location, expected: PostgreSQLStore.type, found: "a schema with other tables")
    }

    /// Creates the store in one transaction, unless another process does so at the same time.
    private static func create(
        _ request: OpenRequest, _ address: PostgreSQLAddress, _ pool: PostgresPool
    ) throws(StoreError) {
        let (connection, exists) = try pool.begin { (connection) throws(StoreError) in
            // The lock ends with the transaction. Its number is the hash of the name.
            let results = try connection.run(
                [
                    "BEGIN",
                    PostgresStatement(
                        "SELECT pg_advisory_xact_lock(hashtextextended('cairn ' || $1, 0))",
                        [.text(address.schema)]),
                    question(address),
                ], for: "create")
            return try answer(results[2], request)
        }
        if exists { return pool.end(connection) }
        do throws(StoreError) {
            _ = try connection.run(
                SchemaCreation(request: request, address: address).statements(), for: "create")
            try connection.commit()
        } catch {
            connection.close()
            throw error
        }
        pool.giveBack(connection)
    }
}
