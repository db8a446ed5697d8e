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
/// savers, and savers of different objects do not wait for each other, in one process or many. A save waits for others that
/// change the same objects, refer to objects that it deletes, or take the same unique values. If the model has derived
/// attributes, or relationships that must have members, saves follow each other. The query of the URL has libpq's
/// connection parameters. If it names no `sslmode`, the certificate of a host that is not local is verified.
/// Options: ``CairnStore/StoreOption/timeout`` (seconds; 5 by default) and ``CairnStore/StoreOption/tracksHistory``.
public final class PostgreSQLStore: PersistentStore {
    /// `"PostgreSQL"`.
    public static let type: StoreType = "PostgreSQL"

    /// The capabilities of the engine: readers and other savers continue during a save, and any number of processes may
    /// have the store open. Text that contains U+0000 is refused.
    public static let capabilities = StoreCapabilities(
        isDurable: true, readsDuringSave: true, isShared: true, savesInParallel: true,
        savesInParts: true, namedSaves: .wanted,
        fidelity: [.string: .partial("text that contains U+0000 is refused")],
        options: [.timeout, .tracksHistory])

    /// The number in the IDs of this store's objects.
    public let number: StoreNumber
    /// The request that opened the store.
    public let request: OpenRequest
    let schema: StoreSchema
    let held: HeldEntities
    let derivedAttributes: DerivedAttributes
    let timeout: Duration
    let pool: PostgresPool
    let states: KnownStates
    let keys = KeyBlocks()
    let historyTable: PostgresHistory
    /// Whether saves look for references that lead nowhere. While a copy fills the store, they lead to objects that come
    /// later, or lead nowhere in the original.
    let checksReferences: Bool
    /// Whether the store is known to keep a history. Once it does, it goes on.
    private let isHistoryKnown: Atomic<Bool>
    /// Whether saves follow each other, because they change or check what other objects of the store are part of.
    let savesAlone: Bool
    /// How many saves of this handle are left until it removes what the store need not remember.
    private let savesUntilPruning = Atomic(Int.random(in: 1...PostgreSQLStore.pruningInterval))
    private static let pruningInterval = 128

    private init(_ opened: PostgreSQLOpening) {
        request = opened.request
        number = opened.number
        schema = opened.schema
        held = opened.held
        derivedAttributes = opened.derivedAttributes
        timeout = opened.timeout
        pool = opened.pool
        states = KnownStates(opened.schema)
        historyTable = opened.history
        checksReferences = !opened.isUnfinished
        isHistoryKnown = Atomic(opened.keepsHistory)
        savesAlone =
            !opened.derivedAttributes.isEmpty || opened.request.model.needsMembers
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
        try PostgreSQLSnapshot.begin(pool, schema, states)
    }

    /// Asks the server, in one round trip.
    ///
    /// - Throws: the errors of ``snapshot()``.
    public func newestGeneration() throws(StoreError) -> StoreGeneration {
        try states.read(pool.run([states.question], for: "read")[0])
    }

    /// Begins a save, which sends nothing before it is prepared.
    ///
    /// - Throws: `.closed`, `.readOnly`, `.deadlineExceeded`.
    public func beginSave() throws(StoreError) -> any SaveTransaction { try PostgreSQLSave(self) }

    /// Begins a save and takes its keys from a block that was reserved before, or reserves a block, in one round trip.
    ///
    /// - Throws: the errors of ``beginSave()``; `.keysExhausted`, `.unsupported`, `.engineFailure`.
    public func beginSave(
        reserving counts: [EntityNumber: Int]
    ) throws(StoreError) -> BegunSave {
        BegunSave(try PostgreSQLSave(self), keys: try takeKeys(counts))
    }

    /// Takes keys from a block that was reserved before, or reserves a block, in one round trip.
    ///
    /// - Throws: the errors of ``beginSave(reserving:)``.
    public func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>]? {
        try takeKeys(counts)
    }

    /// Looks the name up. If the save is under way, waits for it.
    ///
    /// - Throws: the errors of ``beginSave()``; `.busy`, `.commitOutcomeUnknown`, `.engineFailure`.
    public func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try SaveNames(schema: schema).outcome(of: id, self)
    }

    /// Closes the connections. Those of snapshots and saves are closed when these end.
    public func close() { pool.close() }

    /// - Throws: `.closed`, `.readOnly`, `.keysExhausted`, `.unsupported`, `.engineFailure`.
    func takeKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        try requireWritable()
        var wanted: [(root: EntityNumber, number: Int16, count: Int)] = []
        for (root, count) in counts.sorted(by: { $0.key < $1.key }) where count > 0 {
            try held.require(root)
            guard let number = schema.number(of: root) else {
                throw .unsupported(
                    request.location, feature: "no table for objects of \(schema.name(of: root))",
                    advice: HeldEntities.advice(isListed: false))
            }
            wanted.append((root, number, count))
        }
        // Others may take the keys of the first block. The second one is of the exact size, for the last keys of all.
        for size in [KeyBlocks.size(for:), { $0 }] as [(Int) -> Int] {
            if let taken = keys.take(counts) { return taken }
            let statements = KeyBlocks.reserving(wanted.map { ($0.number, size($0.count)) }, schema)
            let results = try pool.run(statements, for: "reserve keys")
            for (index, it) in wanted.enumerated() { keys.add(results[2 * index + 1], of: it.root) }
        }
        if let taken = keys.take(counts) { return taken }
        throw .keysExhausted(entity: schema.name(of: wanted.first?.root ?? EntityNumber(0)))
    }

    var keepsHistory: Bool { isHistoryKnown.load(ordering: .relaxed) }

    func noteHistory() { isHistoryKnown.store(true, ordering: .relaxed) }

    /// Counts a save. Returns, now and then, the statement that removes what the store need not remember.
    func countSave() -> PostgresStatement? {
        guard savesUntilPruning.subtract(1, ordering: .relaxed).newValue == 0 else { return nil }
        savesUntilPruning.store(Self.pruningInterval, ordering: .relaxed)
        return SaveNames(schema: schema).pruning
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

    /// Returns the number of schemas in which stores are being made for a location, for tests.
    ///
    /// - Throws: `.unsupported` for another address; `.engineFailure`.
    package static func temporarySchemaCount(at location: StoreLocation) throws(StoreError) -> Int {
        let address = try PostgreSQLAddress(location)
        let pool = PostgresPool(address, at: location, timeout: .seconds(5))
        defer { pool.close() }
        let found = try pool.run([SchemaPlacement.temporarySchemas(of: address)], for: "count")[0]
        return found.rowCount
    }

    /// Ends a placement as the end of its process would, for tests.
    package static func abandon(_ placement: any ServicePlacement) {
        (placement as? SchemaPlacement)?.abandon()
    }

    /// Returns the number of rows in one of the engine's own tables, for tests.
    ///
    /// - Throws: `.unsupported` for another address; `.engineFailure`.
    package static func rowCount(
        of table: String, inSchema schema: String, of database: URL
    ) throws(StoreError) -> Int {
        let service = ServiceLocation(database.appending(path: schema))
        let location = service.map(StoreLocation.service) ?? .memory(schema)
        let pool = PostgresPool(try PostgreSQLAddress(location), at: location, timeout: .seconds(5))
        defer { pool.close() }
        let question = PostgresStatement("SELECT count(*) FROM \(schema.quoted).\(table.quoted)")
        let result = try pool.run([question], for: "count")[0]
        return Int(result.integer(0, 0, as: Int64.self) ?? 0)
    }
}
