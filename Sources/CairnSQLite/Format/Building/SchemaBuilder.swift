import CairnCSQLite
import CairnModel
import CairnSQL
import CairnStore

/// Builds the statements that create a new store's tables, in Core Data's layout and order.
///
/// Column order, index names and statement text are those of framework version 836 and later
/// (docs/formats/sqlite.md). They were checked against stores written by Core Data.
struct SchemaBuilder {
    let map: SchemaMap

    /// Returns the statements for tables, then for indexes and triggers, then for the bookkeeping
    /// tables.
    func statements() -> [String] {
        var tables: [String] = []
        var built: Set<SQLName> = []
        for (entity, _) in map.entities.entities where entity.superentity == nil {
            guard let schema = map.schema(of: entity) else { continue }
            tables.append(table(of: entity, schema.table))
            tables += joinTables(of: entity).filter { built.insert($0.table).inserted }
                .map(statement(of:))
        }
        return tables + allIndexes { _ in true } + DerivationTriggers(map: map).statements()
            + Self.bookkeepingTables
    }

    /// Returns the statements for indexes and R-trees, one root entity after the other.
    private func allIndexes(_ isWanted: (JoinTable) -> Bool) -> [String] {
        var indexes: [String] = []
        var built: Set<SQLName> = []
        for (entity, _) in map.entities.entities where entity.superentity == nil {
            guard let schema = map.schema(of: entity) else { continue }
            let joins = joinTables(of: entity).filter { built.insert($0.table).inserted }
            indexes += toOneIndexes(of: entity, schema.table)
            indexes += joins.filter { $0.memberColumn != $0.ownerColumn && isWanted($0) }
                .map(index(of:))
            let others = IndexBuilder(map: map, table: schema.table)
            indexes += entity.hierarchy.flatMap(others.statements(for:))
        }
        return indexes
    }

    private func joinTables(of root: Entity) -> [JoinTable] {
        root.hierarchy.flatMap(\.ownRelationships).compactMap(joinTable(of:))
    }

    /// Returns the statement that creates the table of a root entity, or `nil` if the store does
    /// not hold that entity.
    func table(of root: Entity) -> String? {
        map.schema(of: root).map { table(of: root, $0.table) }
    }

    /// Returns the statement that creates the join table of a relationship, or `nil` if the
    /// relationship has no join table.
    func joinTableStatement(of relationship: Relationship) -> String? {
        joinTable(of: relationship).map(statement(of:))
    }

    /// Returns the statements that create indexes, without R-trees.
    ///
    /// - Parameter isWanted: Whether to include the index of a join table.
    func indexes(_ isWanted: (JoinTable) -> Bool) -> [String] {
        allIndexes(isWanted).filter(Self.isIndex)
    }

    /// The statements that create R-trees and their triggers.
    var rTrees: [String] {
        map.entities.entities.flatMap { entity, _ in
            guard let table = map.schema(of: entity)?.table else { return [String]() }
            return IndexBuilder(map: map, table: table).statements(for: entity)
                .filter { !Self.isIndex($0) }
        }
    }

    private static func isIndex(_ statement: String) -> Bool {
        statement.hasPrefix("CREATE INDEX ") || statement.hasPrefix("CREATE UNIQUE INDEX ")
    }

    static let modelCacheTable = "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"

    private static let bookkeepingTables = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        modelCacheTable,
    ]

    // MARK: Tables

    /// The maximum number of columns in a table: 2,000, unless SQLite was built with another limit
    /// (sqlite.org/limits.html).
    private static let mostColumns: Int = {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        guard sqlite3_open(":memory:", &handle) == SQLITE_OK else { return 2000 }
        return Int(sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, -1))
    }()

    /// Checks that SQLite accepts the tables. The table of a root entity also has the columns of its
    /// subentities.
    ///
    /// - Throws: `.unsupported`.
    func requireColumnsWithinLimit(at location: StoreLocation) throws(StoreError) {
        for (root, _) in map.entities.entities where root.superentity == nil {
            let count = Self.ownColumns.count + columns(of: root).count
            guard count > Self.mostColumns else { continue }
            let owner = root.subentities.isEmpty ? "" : ", with its subentities,"
            throw .unsupported(
                location, feature: "an entity, \(root.name), that\(owner) needs \(count) columns",
                advice:
                    "A table of SQLite has at most \(Self.mostColumns) columns: one for each attribute, one"
                    + " to three for each to-one relationship, and \(Self.ownColumns.count) of its own. Move"
                    + " attributes to other entities, or use another engine, such as LMDB.")
        }
    }

    private static let ownColumns = [
        "Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER",
    ]

    private func table(of root: Entity, _ table: SQLName) -> String {
        let columns =
            Self.ownColumns + columns(of: root).map { "\($0.name) \($0.declaration)" }
        return "CREATE TABLE \(table) ( \(columns.joined(separator: ", ")) )"
    }

    /// A column, with everything that determines its position in the table: its group, its entity
    /// and the name of its property. Columns of groups 0 and 1 are sorted together within each
    /// entity.
    private struct Column {
        var name: SQLName
        var declaration: String
        var group: Int
        var entity: UInt16
        var property: String
        /// Whether the column holds the key of a to-one relationship's destination.
        var isKey = false
    }

    private func columns(of root: Entity) -> [Column] {
        let columns = root.hierarchy.flatMap { entity in
            entity.ownProperties.flatMap { property -> [Column] in
                guard let slot = property.storage.rowSlot,
                    let column = map.schema(of: entity)?.slots[slot]
                else { return [] }
                return self.columns(of: column, entity)
            }
        }
        // Comparing the offsets last makes the sort stable.
        return columns.enumerated().sorted { left, right in
            let (a, b) = (left.element, right.element)
            if a.entity != b.entity, a.group < 2, b.group < 2 { return a.entity < b.entity }
            if a.group != b.group { return a.group < b.group }
            if a.entity != b.entity { return a.entity < b.entity }
            if a.property != b.property { return a.property.isBefore(b.property) }
            return left.offset < right.offset
        }.map(\.element)
    }

    private func columns(of column: SlotColumn, _ entity: Entity) -> [Column] {
        func make(_ name: SQLName, _ declaration: String, _ group: Int) -> Column {
            Column(
                name: name, declaration: declaration, group: group,
                entity: entity.number.rawValue, property: column.property.name,
                isKey: group == 1 && name == column.name)
        }
        switch column.form {
        case .value(let name):
            let (group, declaration) = Self.columnType(of: column.property)
            return [make(name, declaration, group)]
        case .toOne(let key, let entityName, let order):
            return [make(key, "INTEGER", 1)]
                + (entityName.map { [make($0, "INTEGER", 1)] } ?? [])
                + (order.map { [make($0, "INTEGER", 2)] } ?? [])
        case .composite(let elements):
            return elements.map { element in
                let (group, declaration) = Self.columnType(of: element.type)
                return make(element.name, declaration, group)
            }
        }
    }

    private static func columnType(of property: Property) -> (group: Int, declaration: String) {
        guard case .attribute(let attribute) = property else { return (1, "") }
        return columnType(of: attribute.type)
    }

    /// Returns the type of a value column, as written in `CREATE TABLE`.
    static func declaration(of type: AttributeType) -> String { columnType(of: type).declaration }

    /// Groups 0 and 1 hold integers and to-one relationships. Group 2 holds order keys.
    private static func columnType(of type: AttributeType) -> (group: Int, declaration: String) {
        switch type {
        case .integer16, .integer32, .integer64, .boolean: (0, "INTEGER")
        case .double, .float: (3, "FLOAT")
        case .date: (3, "TIMESTAMP")
        case .decimal: (4, "DECIMAL")
        case .string: (5, "VARCHAR")
        case .uri: (6, "VARCHAR")
        case .uuid: (7, "BLOB")
        case .transformable: (8, "BLOB")
        case .binary, .undefined, .objectID, .composite: (9, "BLOB")
        }
    }

    // MARK: Join tables

    /// Returns the join table as seen from the relationship that names it, so that both sides of a
    /// many-to-many return the same table.
    private func joinTable(of relationship: Relationship) -> JoinTable? {
        guard let join = map.joinTable(of: relationship) else { return nil }
        return join.isOwnerFirst ? join : join.seenFromMember
    }

    private func statement(of join: JoinTable) -> String {
        let names = [join.ownerColumn, join.memberColumn]
        let orders = [join.ownerOrderColumn, join.memberOrderColumn].compactMap(\.self)
        let columns =
            (names + orders).map { "\($0) INTEGER" }
            + ["PRIMARY KEY (\(join.ownerColumn), \(join.memberColumn))"]
        return "CREATE TABLE \(join.table) ( \(columns.joined(separator: ", ")) )"
    }

    private func index(of join: JoinTable) -> String {
        let name = SQLName("\(join.table.text)_\(join.memberColumn.text)_INDEX")
        return
            "CREATE INDEX \(name) ON \(join.table) (\(join.memberColumn), \(join.ownerColumn))"
    }

    // MARK: Indexes

    private func toOneIndexes(of root: Entity, _ table: SQLName) -> [String] {
        let keys = columns(of: root).filter(\.isKey)
        var statements = keys.map { key in
            let name = SQLName("\(table.text)_\(key.name.text)_INDEX")
            return "CREATE INDEX \(name) ON \(table) (\(key.name))"
        }
        if !root.subentities.isEmpty {
            let name = SQLName("\(table.text)_Z_ENT_INDEX")
            statements.append("CREATE INDEX \(name) ON \(table) (Z_ENT)")
        }
        return statements
    }
}
