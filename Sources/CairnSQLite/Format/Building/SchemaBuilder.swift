import CairnModel
import CairnStore

/// The statements that make a new store's tables, in Core Data's layout and order.
///
/// Column order, index names and statement text are those of framework 836 and later
/// (docs/formats/sqlite.md), proven against real stores.
struct SchemaBuilder {
    let map: SchemaMap

    /// Tables, then indexes and triggers, then the bookkeeping tables.
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

    /// Indexes and R-trees, root by root.
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

    /// The statement that makes the table of a root. Returns `nil` if the store does not hold it.
    func table(of root: Entity) -> String? {
        map.schema(of: root).map { table(of: root, $0.table) }
    }

    /// The statement that makes the join table of a relationship. Returns `nil` if it has none.
    func joinTableStatement(of relationship: Relationship) -> String? {
        joinTable(of: relationship).map(statement(of:))
    }

    /// The statements that make indexes, R-trees not among them.
    ///
    /// - Parameter isWanted: whether the index of a join table is among them.
    func indexes(_ isWanted: (JoinTable) -> Bool) -> [String] {
        allIndexes(isWanted).filter(Self.isIndex)
    }

    /// The statements that make R-trees and their triggers.
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

    private func table(of root: Entity, _ table: SQLName) -> String {
        let columns =
            ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
            + columns(of: root).map { "\($0.name) \($0.declaration)" }
        return "CREATE TABLE \(table) ( \(columns.joined(separator: ", ")) )"
    }

    /// A column and what its position in the table follows from: its group, its entity and the name
    /// of its property. Columns of the groups 0 and 1 are together for each entity.
    private struct Column {
        var name: SQLName
        var declaration: String
        var group: Int
        var entity: UInt16
        var property: String
        /// Whether it holds the key of a to-one's destination.
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
        // Offsets keep the sort stable.
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

    /// The type of a column of values in the statement that makes the table.
    static func declaration(of type: AttributeType) -> String { columnType(of: type).declaration }

    /// The groups 0 and 1 are integers and to-ones, 2 is order keys.
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

    // MARK: Pairs

    /// The pairs' table as the side that names it sees it, so that both sides give one.
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
