import CairnModel
import CairnSQL

/// Plans the changes of each root's table.
struct TablePlanner {
    let pairs: EntityPairs
    let oldMap: SchemaMap
    let newMap: SchemaMap

    /// Returns the plans for all roots of the new version, by number. Returns `nil` if SQL cannot
    /// convert a value.
    func plans() -> [TablePlan]? {
        var plans: [TablePlan] = []
        for (root, _) in pairs.new.entities where root.superentity == nil {
            guard let plan = plan(for: root) else { return nil }
            plans.append(plan)
        }
        return plans
    }

    private func plan(for root: Entity) -> TablePlan? {
        guard let newTable = newMap.schema(of: root)?.table else { return nil }
        let columns = ModelColumn.all(of: root, in: newMap)
        guard let oldRoot = pairs.oldRoot(of: root),
            let oldTable = oldMap.schema(of: oldRoot)?.table
        else {
            return TablePlan(
                root: root, oldTable: nil, newTable: newTable,
                columns: columns.map { ColumnPlan(column: $0) }, dropped: [], removed: [])
        }
        let oldColumns = ModelColumn.all(of: oldRoot, in: oldMap)
        var planned: [ColumnPlan] = []
        var kept: Set<SQLName> = []
        for column in columns {
            guard let plan = plan(for: column, among: oldColumns, &kept) else { return nil }
            planned.append(plan)
        }
        return TablePlan(
            root: root, oldTable: oldTable, newTable: newTable,
            columns: computing(planned, of: root, in: newTable),
            dropped: oldColumns.filter { !kept.contains($0.name) },
            removed: pairs.removedNumbers(below: oldRoot))
    }

    // MARK: One column

    private func plan(
        for column: ModelColumn, among oldColumns: [ModelColumn], _ kept: inout Set<SQLName>
    ) -> ColumnPlan? {
        var plan = ColumnPlan(column: column)
        var oldUsers: [SQLName: [Entity]] = [:]
        var order: [ModelColumn] = []
        for user in column.users {
            guard let source = source(of: column, in: user) else { continue }
            plan.sources[user] = source.name
            if oldUsers[source.name] == nil { order.append(source) }
            oldUsers[source.name, default: []].append(user)
        }
        for source in order {
            guard let conversion = ColumnConversion(from: source.type, to: column.type),
                isStoredAlike(source.property, column.property)
            else { return nil }
            let users = oldUsers[source.name] ?? []
            if plan.kept == nil, case .none = conversion, kept.insert(source.name).inserted {
                plan.kept = source.name
                plan.cleared = cleared(source, keeping: users, among: oldColumns)
            } else {
                plan.copies.append(
                    ColumnPlan.Copy(
                        from: source.name, conversion: conversion,
                        entities: pairs.oldNumbers(of: users)))
            }
        }
        guard let defaults = defaults(of: column, plan.sources) else { return nil }
        plan.defaults = defaults
        return plan
    }

    /// Returns the old column that holds the column's value for the rows of an entity.
    private func source(of column: ModelColumn, in user: Entity) -> ModelColumn? {
        guard let oldEntity = pairs.old(of: user),
            let oldProperty = pairs.changes.oldProperty(named: column.property.name, of: user),
            let slot = oldProperty.storage.rowSlot,
            let slots = oldMap.schema(of: oldEntity)?.slots, slots.indices.contains(slot)
        else { return nil }
        let isRelationship = column.type == nil
        return ModelColumn.all(of: slots[slot]).first {
            $0.isSamePart(as: column) && ($0.type == nil) == isRelationship
        }
    }

    /// Returns the old numbers of the continuing entities that used a kept column for other values.
    private func cleared(
        _ source: ModelColumn, keeping users: [Entity], among oldColumns: [ModelColumn]
    ) -> [Int64] {
        let before = oldColumns.first { $0.name == source.name }?.users ?? []
        let others = before.compactMap(pairs.new(of:)).filter { !users.contains($0) }
        return pairs.oldNumbers(of: others)
    }

    /// Whether both properties store bytes in the same way. Values that may be stored in files
    /// begin with a mark.
    private func isStoredAlike(_ old: Property, _ new: Property) -> Bool {
        guard case .attribute(let old) = old, case .attribute(let new) = new else { return true }
        if new.type == .composite {
            // Elements may be renamed and may have default values, like attributes.
            return Set(old.entity.model.description.composites)
                == Set(new.entity.model.description.composites)
        }
        return old.description.allowsExternalBinaryDataStorage
            == new.description.allowsExternalBinaryDataStorage
    }

    /// Returns the defaults to write, or `nil` if SQL cannot write the default.
    private func defaults(
        of column: ModelColumn, _ sources: [Entity: SQLName]
    ) -> [ColumnPlan.Default]? {
        guard case .attribute(let attribute) = column.property, !attribute.isDerived,
            column.role == .value, attribute.description.defaultValue != .null
        else { return [] }
        if attribute.type == .composite { return nil }
        let value = attribute.description.defaultValue
        let added = column.users.filter { sources[$0] == nil }
        let required = column.users.filter {
            sources[$0] != nil && !attribute.isOptional && wasOptional(attribute, in: $0)
        }
        return [(added, false), (required, true)].compactMap { users, onlyMissing in
            let entities = pairs.oldNumbers(of: users)
            return entities.isEmpty
                ? nil
                : ColumnPlan.Default(value: value, entities: entities, onlyMissing: onlyMissing)
        }
    }

    private func wasOptional(_ attribute: Attribute, in entity: Entity) -> Bool {
        guard
            case .attribute(let old)? = pairs.changes.oldProperty(named: attribute.name, of: entity)
        else { return false }
        return old.isOptional
    }

    // MARK: Computed columns

    private func computing(
        _ plans: [ColumnPlan], of root: Entity, in table: SQLName
    ) -> [ColumnPlan] {
        plans.map { plan in
            var plan = plan
            guard plan.kept == nil, plan.copies.isEmpty,
                case .relationship(let relationship) = plan.column.property,
                let key = plans.first(where: {
                    $0.column.role == .key && $0.column.property == plan.column.property
                }), key.kept != nil || !key.copies.isEmpty,
                let destination = newMap.schema(of: relationship.destination)?.table
            else { return plan }
            switch plan.column.role {
            case .entity:
                plan.computation = .destinationEntity(key: key.column.name, table: destination)
            case .order: plan.computation = .order(key: key.column.name)
            case .value, .key: break
            }
            return plan
        }
    }
}

/// An existing index of a database.
struct StoredIndex {
    let name: SQLName
    let statement: String

    /// What the index covers. Equal for two indexes that differ only in their names and in words
    /// that have no effect in SQLite.
    var definition: String { Self.definition(statement) }

    var isUnique: Bool { Self.isUnique(statement) }

    static func isUnique(_ statement: String) -> Bool { statement.hasPrefix("CREATE UNIQUE ") }

    /// Returns what the index of a statement covers.
    static func definition(_ statement: String) -> String {
        guard let start = statement.range(of: " ON ") else { return statement }
        let covered = statement[start.upperBound...]
            .replacing("\"", with: "").replacing(" COLLATE BINARY", with: "")
            .replacing(" ASC", with: "").filter { $0 != " " }
        return (isUnique(statement) ? "UNIQUE " : "") + covered
    }

    /// Returns the index name in a statement that ``SchemaBuilder`` built.
    static func name(in statement: String) -> String {
        let end = statement.range(of: " ON ")?.lowerBound ?? statement.endIndex
        return String(statement[..<end]).replacing("CREATE UNIQUE INDEX ", with: "")
            .replacing("CREATE INDEX ", with: "")
    }
}
