import CairnEngineKit
import CairnModel
import CairnStore
import Foundation
import Synchronization

/// A store in a schema of a PostgreSQL database: `postgresql://user@host/database/schema`.
///
/// Register it with one line, and give the URL as the store's location:
///
/// ```swift
/// PersistentStoreCoordinator.registerStoreClass(PostgreSQLStore.self, type: "PostgreSQL")
/// ```
///
/// The objects are in tables with readable names, which docs/formats/postgresql.md describes. Readers do not wait for
/// savers. Saves of one store follow each other, also those of other processes. The query of the URL has libpq's
/// connection parameters. If it names no `sslmode`, the certificate of a host that is not local is verified.
/// Option: ``CairnStore/StoreOption/timeout`` (seconds; 5 by default).
public final class PostgreSQLStore: PersistentStore {
    /// `"PostgreSQL"`.
    public static let type: StoreType = "PostgreSQL"

    /// The capabilities of the engine: readers continue during a save, and any number of processes may have the store
    /// open. Text that contains U+0000 is refused.
    public static let capabilities = StoreCapabilities(
        isDurable: true, readsDuringSave: true, isShared: true, namedSaves: .wanted,
        fidelity: [.string: .partial("text that contains U+0000 is refused")],
        options: [.timeout])

    /// The number in the IDs of this store's objects.
    public let number: StoreNumber
    /// The request that opened the store.
    public let request: OpenRequest
    let schema: StoreSchema
    let held: HeldEntities
    let derivedAttributes: DerivedAttributes
    let timeout: Duration
    let pool: PostgresPool
    /// The next key of each root entity, as far as this handle knows.
    private let nextKeys = Mutex<[EntityNumber: Int64]>([:])

    private init(_ opened: PostgreSQLOpening) {
        request = opened.request
        number = opened.number
        schema = opened.schema
        held = opened.held
        derivedAttributes = opened.derivedAttributes
        timeout = opened.timeout
        pool = opened.pool
    }

    deinit { pool.close() }

    /// Opens the store of a schema, or creates the schema with the model's tables.
    ///
    /// - Throws: The errors of ``CairnStore/PersistentStore/open(_:)``. Throws `.notAStore` if the schema has tables of
    ///   other programs.
    public static func open(_ request: OpenRequest) throws(StoreError) -> PostgreSQLStore {
        PostgreSQLStore(try PostgreSQLOpening(request))
    }

    /// Reads the tables with the metadata, in one round trip.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.engineFailure`.
    public func metadata() throws(StoreError) -> StoreMetadata {
        try MetadataTables(prefix: schema.prefix, location: request.location).read(pool).metadata
    }

    /// Begins a read-only transaction on a connection of its own. While the snapshot is held, the database keeps the
    /// old versions of all rows that are changed.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.engineFailure`.
    public func snapshot() throws(StoreError) -> any StoreSnapshot {
        try PostgreSQLSnapshot.begin(pool, schema)
    }

    /// Asks the server, in one round trip.
    ///
    /// - Throws: the errors of ``snapshot()``.
    public func newestGeneration() throws(StoreError) -> StoreGeneration {
        let results = try pool.run(
            [PostgresStatement("SELECT generation FROM \(schema.prefix)cairn_state")], for: "read")
        return try PostgreSQLSnapshot.generation(results[0], schema)
    }

    /// Begins a transaction, and locks the store for other saves, for which it waits up to
    /// ``CairnStore/StoreOption/timeout``.
    ///
    /// - Throws: `.closed`, `.readOnly`, `.busy`, `.deadlineExceeded`, `.cancelled`, `.corrupt`, `.engineFailure`.
    public func beginSave() throws(StoreError) -> any SaveTransaction {
        try PostgreSQLSave(self, reserving: [:])
    }

    /// Begins a save and reserves its keys, in one round trip.
    ///
    /// - Throws: the errors of ``beginSave()``; `.keysExhausted`, `.unsupported`.
    public func beginSave(
        reserving counts: [EntityNumber: Int]
    ) throws(StoreError) -> BegunSave {
        let save = try PostgreSQLSave(self, reserving: counts)
        return BegunSave(save, keys: save.keys, generation: save.base)
    }

    /// Waits for the save that is under way, and looks the name up.
    ///
    /// - Throws: the errors of ``beginSave()``.
    public func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try SaveNames(schema: schema).outcome(of: id, self)
    }

    /// Closes the connections. Those of snapshots and saves are closed when these end.
    public func close() { pool.close() }

    /// Notes keys that were reserved for this handle.
    func note(_ keys: [EntityNumber: Range<Int64>]) {
        nextKeys.withLock { $0.merge(keys.mapValues(\.upperBound)) { max($0, $1) } }
    }

    /// Returns whether all of these keys are below those that the store gives out next.
    func hasReserved(_ keys: [EntityNumber: Int64]) -> Bool {
        nextKeys.withLock { next in keys.allSatisfy { $1 < next[$0] ?? 0 } }
    }

    /// - Throws: `.closed`, `.readOnly`.
    func requireWritable() throws(StoreError) {
        try pool.requireOpen()
        if request.isReadOnly { throw .readOnly(request.location) }
    }
}

extension PostgreSQLStore {
    /// Removes all stores of a database whose schemas have names that begin in the same way, for tests.
    ///
    /// - Parameter database: the address of the database, without a schema.
    /// - Throws: `.unsupported` for another address; `.engineFailure`.
    package static func removeSchemas(
        beginningWith prefix: String, from database: URL
    ) throws(StoreError) {
        let service = ServiceLocation(database.appending(path: prefix))
        let location = service.map(StoreLocation.service) ?? .memory(prefix)
        let pool = PostgresPool(try PostgreSQLAddress(location), at: location, timeout: .seconds(5))
        defer { pool.close() }
        let found = try pool.run(
            [
                PostgresStatement(
                    "SELECT nspname::text FROM pg_namespace WHERE starts_with(nspname, $1)",
                    [.text(prefix)])
            ], for: "remove")[0]
        for row in 0..<found.rowCount {
            let drop = PostgresStatement("DROP SCHEMA \(found.text(row, 0).quoted) CASCADE")
            _ = try pool.run([drop], for: "remove")
        }
    }
}
