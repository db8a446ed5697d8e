import CairnModel

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
        return attributes.flatMap { index("Z_\(entity.name)_\($0)", [$0], of: entity) }
            + olderCompounds(of: description).flatMap {
                index("Z_\(entity.name)_\($0.joined(separator: "_"))", $0, of: entity)
            }
            + fetchIndexes.filter { $0.name != $0.elements.first?.propertyName }
            .flatMap { statements(for: $0, of: entity) }
            + description.uniquenessConstraints.compactMap { unique($0, of: entity) }
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
