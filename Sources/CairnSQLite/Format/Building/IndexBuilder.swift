import CairnModel
import CairnSQL

/// Builds the statements that create the indexes declared by one entity.
struct IndexBuilder {
    let map: SchemaMap
    /// The table of the entity's root.
    let table: SQLName

    /// Returns the statements for attribute indexes, compound indexes, fetch indexes and uniqueness
    /// constraints, in this order.
    func statements(for entity: Entity) -> [String] {
        let description = entity.description
        let fetchIndexes = description.fetchIndexes
        let single = fetchIndexes.compactMap { index -> String? in
            guard index.elements.count == 1, index.elements[0].type == .binary,
                case .property(let name) = index.elements[0].target
            else { return nil }
            return name
        }
        var named: Set<String> = []
        let attributes = (single + flagged(in: entity)).filter {
            entity.attribute(named: $0) != nil && named.insert($0).inserted
        }
        // Separate statements: the compiler takes seconds for one expression.
        var statements = attributes.flatMap { index("Z_\(entity.name)_\($0)", [$0], of: entity) }
        for names in olderCompounds(of: description) {
            let name = "Z_\(entity.name)_\(names.joined(separator: "_"))"
            statements += index(name, names, of: entity)
        }
        for index in fetchIndexes where index.name != index.elements.first?.propertyName {
            statements += self.statements(for: index, of: entity)
        }
        return statements + description.uniquenessConstraints.compactMap { unique($0, of: entity) }
    }

    /// Returns the compound indexes that no fetch index repeats. Models cached in stores declare
    /// both.
    private func olderCompounds(of entity: EntityDescription) -> [[String]] {
        let said = Set(entity.fetchIndexes.map { $0.elements.map(\.propertyName) })
        return entity.compoundIndexes.filter { !said.contains($0) }
    }

    /// Returns the attributes with the `isIndexed` flag, which is older than fetch indexes.
    private func flagged(in entity: Entity) -> [String] {
        entity.ownProperties.compactMap {
            if case .attribute(let it) = $0, it.description.isIndexed { it.name } else { nil }
        }
    }

    private func index(_ name: String, _ properties: [String], of entity: Entity) -> [String] {
        let columns = properties.compactMap { column($0, of: entity) }
        guard columns.count == properties.count, !columns.isEmpty else { return [] }
        return ["CREATE INDEX \(SQLName(name)) ON \(table) (\(Self.list(columns)))"]
    }

    /// Returns the statement for a uniqueness constraint, or `nil` if one of its properties has no
    /// column.
    func unique(_ properties: [String], of entity: Entity) -> String? {
        let columns = properties.compactMap { column($0, of: entity) }
        guard columns.count == properties.count, !columns.isEmpty else { return nil }
        let name = SQLName("Z_\(entity.name)_UNIQUE_\(properties.joined(separator: "_"))")
        return "CREATE UNIQUE INDEX \(name) ON \(table) (\(Self.list(columns)))"
    }

    private static func list(_ columns: [SQLName]) -> String {
        columns.map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", ")
    }

    /// Returns the statements for a fetch index. An index with spatial elements becomes an R-tree.
    private func statements(
        for index: FetchIndexDescription, of entity: Entity
    ) -> [String] {
        if index.elements.contains(where: { $0.type == .rTree }) {
            return RTreeIndex(index, of: entity, map: map, table: table)?.statements ?? []
        }
        let elements = index.elements.compactMap { element -> String? in
            element.column(in: self, of: entity).map {
                "\($0) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")"
            }
        }
        guard elements.count == index.elements.count, !elements.isEmpty else { return [] }
        let condition = index.partialPredicate.flatMap {
            PartialIndexCondition(entity: entity, map: map).sql(for: $0)
        }
        let name = SQLName("Z_\(entity.name)_\(index.name)")
        return [
            "CREATE INDEX \(name) ON \(table) (\(elements.joined(separator: ", ")))"
                + (condition.map { " WHERE \($0)" } ?? "")
        ]
    }

    /// Returns the column of a property, or of an element of a composite attribute, by its key
    /// path.
    func column(_ path: String, of entity: Entity) -> SQLName? {
        let parts = path.split(separator: ".").map(String.init)
        guard let first = parts.first,
            let column = entity.property(named: path) ?? entity.property(named: first),
            let slot = column.storage.rowSlot, let found = map.schema(of: entity)?.slots[slot]
        else { return nil }
        guard case .composite(let elements) = found.form else { return found.name }
        // The only column of a composite stands for it, such as that of an enum in a store of SwiftData.
        if parts.count == 1, elements.count == 1 { return elements[0].name }
        return elements.first { $0.path == Array(parts.dropFirst()) }?.name
    }
}

extension FetchIndexDescription.Element {
    fileprivate var propertyName: String? {
        if case .property(let name) = target { name } else { nil }
    }

    fileprivate func column(in builder: IndexBuilder, of entity: Entity) -> SQLName? {
        switch target {
        case .property(let name): builder.column(name, of: entity)
        case .expression("SELF"): SQLName("Z_PK")
        case .expression("entity") where entity.property(named: "entity") == nil: SQLName("Z_ENT")
        case .expression(let text): builder.column(text, of: entity)
        }
    }
}

/// Translates the condition of a partial index to SQL. SQLite does not accept bound values there.
///
/// Supports comparisons of an attribute with a number, a Boolean, a string or `nil`, combined with
/// AND, OR and NOT. An index with any other condition is created for all rows: it is larger, but
/// equally correct.
struct PartialIndexCondition {
    let entity: Entity
    let map: SchemaMap

    /// Returns the condition as SQL, or `nil` if it cannot be translated.
    func sql(for predicate: FetchPredicate) -> String? {
        switch predicate {
        case .constant(let value): value ? "1" : "0"
        case .comparison(let comparison): sql(for: comparison)
        case .and(let parts): joined(parts, " AND ")
        case .or(let parts): joined(parts, " OR ")
        case .not(let inner): sql(for: inner).map { "NOT (\($0))" }
        }
    }

    private func joined(_ parts: [FetchPredicate], _ separator: String) -> String? {
        let conditions = parts.compactMap(sql(for:))
        guard conditions.count == parts.count, !parts.isEmpty else { return nil }
        return "(" + conditions.joined(separator: separator) + ")"
    }

    private func sql(for comparison: PredicateComparison) -> String? {
        guard case .keyPath(let path) = comparison.left, path.count == 1,
            case .constant(let value) = comparison.right, comparison.modifier == .direct,
            comparison.options.isEmpty,
            let column = IndexBuilder(map: map, table: SQLName("")).column(path[0], of: entity)
        else { return nil }
        switch (comparison.operator, value) {
        case (.equal, .null): return "\(column) IS NULL"
        case (.notEqual, .null): return "\(column) IS NOT NULL"
        case (let `operator`, let value):
            guard let symbol = Self.symbols[`operator`], let literal = Self.literal(value) else {
                return nil
            }
            return "\(column) \(symbol) \(literal)"
        }
    }

    private static let symbols: [PredicateComparison.Operator: String] = [
        .equal: "=", .notEqual: "<>", .lessThan: "<", .lessThanOrEqual: "<=",
        .greaterThan: ">", .greaterThanOrEqual: ">=",
    ]

    private static func literal(_ value: Value) -> String? {
        switch value {
        case .boolean(let value): value ? "1" : "0"
        case .integer(let value): "\(value)"
        case .double(let value) where value.isFinite: "\(value)"
        case .string(let value) where !value.contains("\0"):
            "'" + value.replacing("'", with: "''") + "'"
        default: nil
        }
    }
}

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
