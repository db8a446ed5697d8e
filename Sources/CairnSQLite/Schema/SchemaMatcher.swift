import CairnModel
import CairnStore

/// Finds the parts of a model among the tables that a store really has.
struct SchemaMatcher {
    let names: SchemaNames
    let catalog: SchemaCatalog
    let location: StoreLocation

    /// Returns the schema with the names that the store uses.
    ///
    /// - Throws: `.corrupt`, where a table or column is not there.
    func match(_ expected: EntitySchema) throws(StoreError) -> EntitySchema {
        var schema = expected
        let root = expected.entity.rootEntity
        if !catalog.hasTable(schema.table) {
            // An in-place migration may keep the table of an entity that was renamed.
            schema.table = SQLName("Z" + root.renamingIdentifier.uppercased())
        }
        guard catalog.hasTable(schema.table) else {
            throw .corrupt(
                location, place: "the schema",
                detail: "there is no table \(expected.table) for \(root.name)")
        }
        for index in schema.slots.indices {
            schema.slots[index].form = try match(schema.slots[index], in: schema.table)
        }
        return schema
    }

    private func match(
        _ column: SlotColumn, in table: SQLName
    ) throws(StoreError) -> SlotColumn.Form {
        switch column.form {
        case .value(let name):
            try require(name, in: table)
            return column.form
        case .composite(let elements):
            for element in elements { try require(element.name, in: table) }
            return column.form
        case .toOne(let key, let entity, let order):
            try require(key, in: table)
            return .toOne(
                key: key, entity: entity.flatMap { entityColumn($0, key: key, in: table) },
                order: order.flatMap { catalog.hasColumn($0, in: table) ? $0 : nil })
        }
    }

    /// A store whose entities were renumbered may keep the old number in the column's name.
    private func entityColumn(_ name: SQLName, key: SQLName, in table: SQLName) -> SQLName? {
        if catalog.hasColumn(name, in: table) { return name }
        return catalog.column(in: table, prefix: "Z", suffix: "_\(key.text.dropFirst())")
    }

    private func require(_ column: SQLName, in table: SQLName) throws(StoreError) {
        guard !catalog.hasColumn(column, in: table) else { return }
        throw .corrupt(location, place: "table \(table)", detail: "there is no column \(column)")
    }

    /// Returns the pair tables with the names that the store uses.
    ///
    /// - Throws: `.corrupt`, where one is not there.
    func matchJoinTables() throws(StoreError) -> [Relationship: JoinTable] {
        var result: [Relationship: JoinTable] = [:]
        for (relationship, expected) in names.joinTables {
            guard let found = match(expected) ?? search(for: relationship) else {
                throw .corrupt(
                    location, place: "the schema",
                    detail: "there is no table \(expected.table) for "
                        + "\(relationship.entity.name).\(relationship.name)")
            }
            result[relationship] = found
        }
        return result
    }

    private func match(_ expected: JoinTable) -> JoinTable? {
        let columns = [
            expected.ownerColumn, expected.memberColumn, expected.memberOrderColumn,
            expected.ownerOrderColumn,
        ]
        let hasAll = columns.allSatisfy { column in
            column.map { catalog.hasColumn($0, in: expected.table) } ?? true
        }
        return hasAll ? expected : nil
    }

    /// A table whose second column is the numbered form of its first.
    private func searchSelfInverse(_ relationship: Relationship) -> JoinTable? {
        guard var join = names.joinTables[relationship] else { return nil }
        join.memberColumn = SQLName(join.ownerColumn.text + "1")
        join.memberOrderColumn = nil
        return match(join)
    }

    /// The only table with the columns of the relationship and its inverse, whatever entity
    /// numbers their names have.
    private func search(for relationship: Relationship) -> JoinTable? {
        guard let inverse = relationship.inverse else { return nil }
        if inverse == relationship { return searchSelfInverse(relationship) }
        let (own, other) = (relationship.name.uppercased(), inverse.name.uppercased())
        let found = catalog.tables.compactMap { name -> JoinTable? in
            let table = SQLName(name)
            let fits =
                name.isNumber(between: "Z_", and: own) || name.isNumber(between: "Z_", and: other)
            guard fits,
                let owner = catalog.column(in: table, prefix: "Z_", suffix: other),
                let member = catalog.column(in: table, prefix: "Z_", suffix: own)
            else { return nil }
            return JoinTable(
                table: table, ownerColumn: owner, memberColumn: member,
                memberOrderColumn: relationship.isOrdered
                    ? catalog.column(in: table, prefix: "Z_FOK_", suffix: own) : nil,
                ownerOrderColumn: inverse.isOrdered
                    ? catalog.column(in: table, prefix: "Z_FOK_", suffix: other) : nil)
        }
        return found.count == 1 ? found[0] : nil
    }
}
