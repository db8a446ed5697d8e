import CairnModel

/// A spatial index: a virtual table with one box for each row, and the triggers that maintain it.
struct RTreeIndex {
    let statements: [String]
    /// The statement that adds the rows that are already in the table.
    let filling: String

    /// Returns `nil` if an element is not numeric, or if the index would have more than 5
    /// dimensions, which is SQLite's limit.
    init?(_ index: FetchIndexDescription, of entity: Entity, map: SchemaMap, table: SQLName) {
        let builder = IndexBuilder(map: map, table: table)
        let columns = index.elements.compactMap { element -> SQLName? in
            guard case .property(let name) = element.target,
                let type = entity.attribute(named: name)?.type, type.isNumeric || type == .date
            else { return nil }
            return builder.column(name, of: entity)
        }
        guard columns.count == index.elements.count, (1...5).contains(columns.count) else {
            return nil
        }
        let name = "Z_RT_\(entity.name)_\(index.name)"
        let bounds = columns.map {
            "\(SQLName($0.text + "_MIN")) FLOAT, \(SQLName($0.text + "_MAX")) FLOAT"
        }
        let tree = SQLName(name)
        let isSet = columns.map { "NEW.\($0) NOT NULL" }.joined(separator: " AND ")
        let values = columns.map { "NEW.\($0), NEW.\($0)" }.joined(separator: ", ")
        let add = "INSERT OR REPLACE INTO \(tree) VALUES (NEW.Z_PK, \(values));"
        func trigger(_ event: String, _ body: String, when: String? = nil) -> String {
            let condition = when.map { " WHEN (\($0))" } ?? ""
            let kind = event.prefix { $0 != " " }
            return "CREATE TRIGGER \(SQLName("\(name)_\(kind)")) AFTER \(event) ON \(table)"
                + " FOR EACH ROW\(condition) BEGIN \(body) END"
        }
        let changed = columns.map(\.description).joined(separator: ", ")
        let remove = "DELETE FROM \(tree) WHERE Z_PK = OLD.Z_PK;"
        let addIfSet = "INSERT INTO \(tree) SELECT NEW.Z_PK, \(values) WHERE \(isSet);"
        let filled = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        let stored = columns.map { "\($0), \($0)" }.joined(separator: ", ")
        filling = "INSERT INTO \(tree) SELECT Z_PK, \(stored) FROM \(table) WHERE \(filled)"
        statements = [
            "CREATE VIRTUAL TABLE \(tree) USING RTREE (Z_PK INTEGER PRIMARY KEY, "
                + bounds.joined(separator: ", ") + ")",
            trigger("INSERT", add, when: isSet),
            trigger("UPDATE OF \(changed)", remove + " " + addIfSet),
            trigger("DELETE", remove),
        ]
    }
}
