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
    let history: PostgresHistory
    let keepsHistory: Bool
    let isUnfinished: Bool

    /// - Throws: the errors of ``CairnStore/PersistentStore/open(_:)``.
    init(_ request: OpenRequest) throws(StoreError) {
        self.request = request
        try request.options.requireKnown(
            PostgreSQLStore.capabilities.options, by: "a PostgreSQL store")
        timeout = try request.options.timeout()
        let tracksHistory = try request.options.tracksHistory()
        held = try HeldEntities(request)
        derivedAttributes = try DerivedAttributes(request.model, at: request.location)
        let address = try PostgreSQLAddress(request.location)
        isUnfinished = address.isUnfinished
        pool = PostgresPool(address, at: request.location, timeout: timeout)
        do throws(StoreError) {
            if try !Self.exists(address, request.location, pool) {
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
                entities: record.entities, identity: record.identity)
            history = PostgresHistory(
                schema: schema,
                codec: HistoryCodec(
                    request.model, store: number, storeID: record.metadata.identifier))
            let mayChange = !request.isReadOnly && !address.isPlaced
            if mayChange, record.isFromElsewhere {
                try SaveLocks(schema: schema, timeout: timeout).changeAlone(
                    table.adoptingServer(), pool, for: "open")
            }
            if mayChange, tracksHistory, !record.keepsHistory {
                try history.begin(pool, timeout: timeout)
                keepsHistory = true
            } else {
                keepsHistory = record.keepsHistory
            }
        } catch {
            pool.close()
            throw error
        }
    }

    /// Returns whether the schema holds a store.
    ///
    /// - Throws: `.notAStore` if it holds something else.
    static func exists(
        _ address: PostgreSQLAddress, _ location: StoreLocation, _ pool: PostgresPool
    ) throws(StoreError) -> Bool {
        let result = try pool.run([question(address)], for: "open")[0]
        return try answer(result, location)
    }

    static func question(_ address: PostgreSQLAddress) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT count(*), count(*) FILTER (WHERE relname = 'cairn_state') FROM pg_class
            WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
            """, [.text(address.schema)])
    }

    /// - Throws: `.notAStore` if the schema holds something else than a store.
    static func answer(
        _ result: PostgresResult, _ location: StoreLocation
    ) throws(StoreError) -> Bool {
        let (all, own) = (
            result.integer(0, 0, as: Int64.self), result.integer(0, 1, as: Int64.self)
        )
        if own == 1 { return true }
        if all == 0 { return false }
        throw .notAStore(
            location, expected: PostgreSQLStore.type, found: "a schema with other tables")
    }

    /// The statement that keeps others from creating a store in the schema until the transaction ends.
    static func creationLock(_ schema: String) -> PostgresStatement {
        PostgresStatement(
            "SELECT pg_advisory_xact_lock(hashtextextended('cairn ' || $1, 0))", [.text(schema)])
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
                    creationLock(address.schema), question(address),
                ], for: "create")
            return try answer(results[2], request.location)
        }
        if exists { return pool.end(connection) }
        do throws(StoreError) {
            _ = try connection.run(
                try SchemaCreation(request: request, address: address).statements(),
                for: "create")
            try connection.commit()
        } catch {
            connection.close()
            throw error
        }
        pool.giveBack(connection)
    }
}
