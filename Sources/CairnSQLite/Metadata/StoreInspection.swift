import CairnModel
import CairnSQL
import CairnStore
import Foundation

/// Reads a store's bookkeeping tables through a connection of its own.
struct StoreInspection {
    let connection: SQLiteConnection
    let catalog: SchemaCatalog

    /// - Throws: `.notAStore` for a database without Core Data's tables; `.unsupported` for a
    ///   database whose text is not UTF-8; `.corrupt`, `.busy` or `.engineFailure`.
    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        try Self.requireUTF8(connection)
        catalog = try SchemaCatalog(reading: connection)
        for table in ["Z_METADATA", "Z_PRIMARYKEY"] where !catalog.hasTable(SQLName(table)) {
            throw .notAStore(
                connection.location, expected: SQLiteStore.type,
                found: "a SQLite database without Core Data's table \(table)")
        }
    }

    /// Checks that text is stored as UTF-8, as in all of Core Data's stores. With UTF-16, SQLite
    /// compares and sorts text differently from predicates.
    private static func requireUTF8(_ connection: SQLiteConnection) throws(StoreError) {
        let encoding = try connection.statement("PRAGMA encoding")
        defer { encoding.reset() }
        guard try encoding.step(), let name = encoding.text(at: 0), name != "UTF-8" else { return }
        throw .unsupported(
            connection.location, feature: "text in the encoding \(name)",
            advice: "Convert it to UTF-8: sqlite3 OLD .dump | sqlite3 NEW")
    }

    func metadata() throws(StoreError) -> StoreMetadata {
        try MetadataTable(connection: connection).read()
    }

    func model() throws(StoreError) -> ModelDescription? {
        try ModelCacheTable(connection: connection).read()
    }

    /// Returns the names of the database's triggers.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func triggers() throws(StoreError) -> Set<String> {
        let select = try connection.statement(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'")
        var names: Set<String> = []
        while try select.step() { select.text(at: 0).map { _ = names.insert($0) } }
        return names
    }

    /// Checks that the model is compatible with the store, then maps it to the store's tables.
    ///
    /// - Throws: `.modelMismatch`, `.unsupported`, `.corrupt`, `.busy`, `.engineFailure`.
    func map(_ request: OpenRequest, _ metadata: StoreMetadata) throws(StoreError) -> SchemaMap {
        let listed = try PrimaryKeyTable(connection: connection).readEntities()
        let entities = StoreEntities(matching: request.model, listed: listed)
        try checkVersion(request, metadata, entities, listed)
        return try SchemaMap(
            matching: entities, layouts: request.layouts, catalog: catalog, at: request.location,
            configured: request.configuration == nil
                ? nil : try CompatibilityCheck.entities(of: request))
    }

    /// Compares the model with the recorded hashes.
    ///
    /// A store without recorded hashes is compared by the entities that it lists. It is accepted if
    /// it lists every entity of the configuration. It is also accepted if it lists at least one of
    /// them, and the model has every entity that it lists.
    private func checkVersion(
        _ request: OpenRequest, _ metadata: StoreMetadata, _ entities: StoreEntities,
        _ listed: [(name: String, number: Int64)]
    ) throws(StoreError) {
        guard metadata.entityVersionHashes.isEmpty else {
            return try CompatibilityCheck(
                request: request, stored: metadata.entityVersionHashes,
                // An unreadable model in the store does not matter, because the caller supplies
                // one.
                cachedModel: (try? model()) ?? nil
            ).run()
        }
        let wanted = try CompatibilityCheck.entities(of: request)
        let missing = wanted.filter { entities.storeNumber(of: $0.number) == nil }
        let isExplained = listed.allSatisfy { entity in
            entity.number >= StoreEntities.firstReservedNumber
                || entities.entityNumber(forStoreNumber: entity.number) != nil
        }
        guard missing.isEmpty || isExplained && missing.count < wanted.count else {
            throw .modelMismatch(
                request.location,
                differences: missing.map {
                    ModelDifference(entity: $0.name, stored: nil, model: $0.versionHash)
                })
        }
    }

    /// Opens a store for inspection, and leaves no files that did not exist before.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.corrupt`, `.busy`, `.fileFailure`, `.engineFailure`,
    ///   and the errors of the body.
    static func look<Result>(
        at location: StoreLocation,
        _ body: (StoreInspection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let files = try SQLiteFiles(location)
        try FileSniffer(files: files).requireDatabase()
        let session = try FileSession(files)
        defer { session.end() }
        let connections = StoreConnections(session: session, options: try SQLiteOptions([:]))
        return try body(StoreInspection(try connections.reader()))
    }
}
