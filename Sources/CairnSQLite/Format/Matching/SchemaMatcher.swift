import CairnModel
import CairnSQL
import CairnStore

/// Finds the parts of a model among the tables that a store really has.
struct SchemaMatcher {
    let names: SchemaNames
    let catalog: SchemaCatalog
    let location: StoreLocation

    /// Returns the schema with the names that the store uses.
    ///
    /// - Throws: `.corrupt` if a table or column is missing.
    func match(_ expected: EntitySchema) throws(StoreError) -> EntitySchema {
        var schema = expected
        let root = expected.entity.rootEntity
        if !catalog.hasTable(schema.table) {
            // A migration in place may keep the table of an entity that was renamed.
            schema.table = SQLName("Z" + root.renamingIdentifier.uppercased())
        }
        guard catalog.hasTable(schema.table) else {
            throw .corrupt(
                location, location: "the schema",
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

    /// Returns the column with the destination's entity number. If entities were renumbered, the
    /// old number may still be part of the column's name.
    private func entityColumn(_ name: SQLName, key: SQLName, in table: SQLName) -> SQLName? {
        if catalog.hasColumn(name, in: table) { return name }
        return catalog.column(in: table, prefix: "Z", suffix: "_\(key.text.dropFirst())")
    }

    private func require(_ column: SQLName, in table: SQLName) throws(StoreError) {
        guard !catalog.hasColumn(column, in: table) else { return }
        throw .corrupt(location, location: "table \(table)", detail: "there is no column \(column)")
    }
}
