import CairnModel
import CairnModelArchive
import CairnRows
import CairnSQL
import CairnStore
import CairnTestSupport
import Foundation

@testable import CairnSQLite

/// A store opened for reading from its internal parts, and a connection to it for plain SQL.
struct ReadStore {
    let schema: FetchSchema
    let pool: SQLiteReaderPool
    /// A connection to the same file for plain SQL.
    let plain: SQLiteConnection
    let folder: TemporaryFolder
    let url: URL

    var model: ManagedObjectModel { schema.map.model }
    var layouts: RowLayouts { schema.map.layouts }

    /// Opens a copy of a corpus store. Returns `nil` if the store contains no model.
    init?(corpus path: String) throws {
        let folder = try TemporaryFolder()
        let url = try Corpus.copy(path, into: folder.url)
        let plain = try Self.connect(url)
        guard
            try plain.integer("SELECT COUNT(*) FROM sqlite_master WHERE name = 'Z_MODELCACHE'") > 0
        else { return nil }
        let cache = try plain.statement("SELECT Z_CONTENT FROM Z_MODELCACHE")
        guard try cache.step(), let content = cache.data(at: 0) else { return nil }
        cache.reset()
        let model = try ManagedObjectModel(ModelCache.decode(Array(content)))
        var listed: [(String, Int64)] = []
        let numbers = try plain.statement("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY")
        while try numbers.step() {
            listed.append((numbers.text(at: 0) ?? "", numbers.int64(at: 1)))
        }
        let map = try SchemaMap(
            matching: StoreEntities(matching: model, listed: listed), layouts: RowLayouts(model),
            catalog: SchemaCatalog(reading: plain), at: .file(url))
        try self.init(map, plain, folder, url)
    }

    /// Creates a store with the tables of a model and no rows.
    init(creating model: ManagedObjectModel) throws {
        let folder = try TemporaryFolder()
        let url = folder.file("store.sqlite")
        let plain = try Self.connect(url)
        let map = SchemaMap(
            creating: try StoreEntities(creating: model, configuration: nil),
            layouts: RowLayouts(model))
        try plain.execute("PRAGMA journal_mode = WAL")
        try plain.execute("CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY)")
        for statement in Self.tables(of: map) { try plain.execute(statement) }
        try self.init(map, plain, folder, url)
    }

    private init(
        _ map: SchemaMap, _ plain: SQLiteConnection, _ folder: TemporaryFolder, _ url: URL
    ) throws {
        let number = StoreDirectory.shared.number(
            identifier: UUID().uuidString, location: .file(url), model: map.model)
        schema = FetchSchema(map: map, store: number, location: .file(url))
        let observer = try StoreObserver(try Self.connect(url))
        pool = SQLiteReaderPool(
            location: .file(url), observer: observer, dataVersion: try observer.dataVersion
        ) { () throws(StoreError) in try Self.connect(url) }
        self.plain = plain
        self.folder = folder
        self.url = url
    }

    func snapshot() throws -> SQLiteSnapshot {
        SQLiteSnapshot(
            try pool.checkOut(), schema: schema,
            externalData: ExternalDataFolder(besideFileAt: url.path))
    }

    func entity(_ name: String) -> Entity {
        guard let entity = model.entity(named: name) else { preconditionFailure(name) }
        return entity
    }

    /// Returns the ID of an object of the entity.
    func id(_ entity: Entity, _ key: Int64) -> ObjectID {
        ObjectID(
            store: schema.store, rootEntity: entity.rootEntity.number, entity: entity.number,
            key: key)
    }

    private static func connect(_ url: URL) throws(StoreError) -> SQLiteConnection {
        try SQLiteConnection(path: url.path, mode: .create, location: .file(url))
    }

    // MARK: Tables

    private static func tables(of map: SchemaMap) -> [String] {
        var columns: [SQLName: [String]] = [:]
        var joins: Set<String> = []
        for entity in map.model.entities {
            guard let schema = map.schema(of: entity) else { continue }
            for slot in schema.slots {
                for column in declarations(of: slot)
                where columns[schema.table]?.contains(column) != true {
                    columns[schema.table, default: []].append(column)
                }
            }
            for relationship in entity.relationships {
                guard let join = map.joinTable(of: relationship) else { continue }
                let names = [
                    join.ownerColumn, join.memberColumn, join.memberOrderColumn,
                    join.ownerOrderColumn,
                ]
                let list = names.compactMap { $0.map { "\($0) INTEGER" } }.sorted()
                joins.insert("CREATE TABLE \(join.table) (\(list.joined(separator: ", ")))")
            }
        }
        return columns.map { table, columns in
            let list = ["Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"] + columns
            return "CREATE TABLE \(table) (\(list.joined(separator: ", ")))"
        } + joins
    }

    private static func declarations(of column: SlotColumn) -> [String] {
        switch column.form {
        case .value(let name):
            guard case .attribute(let attribute) = column.property else { return [] }
            return ["\(name) \(type(attribute.type))"]
        case .toOne(let key, let entity, let order):
            return [key, entity, order].compactMap { $0.map { "\($0) INTEGER" } }
        case .composite(let elements):
            return elements.map { "\($0.name) \(type($0.type))" }
        }
    }

    private static func type(_ type: AttributeType) -> String {
        switch type {
        case .boolean, .integer16, .integer32, .integer64: "INTEGER"
        case .double, .float: "FLOAT"
        case .date: "TIMESTAMP"
        case .decimal: "DECIMAL"
        case .string, .uri: "VARCHAR"
        default: "BLOB"
        }
    }
}

extension SQLiteSnapshot {
    /// Returns everything that the plan's cursor yields, read in batches of an odd size.
    func all(_ plan: FetchPlan) throws -> (batch: RowBatch, completed: CompletedStages) {
        let cursor = try cursor(plan)
        var result = RowBatch()
        while let batch = try cursor.next(atMost: 37) { result.append(batch) }
        return (result, cursor.completed)
    }
}
