import CairnModel
import CairnRows
import CairnStore

/// Finds the rows that clash with rows that a unique index rejected.
///
/// Runs after the rest of the request was written, so that it sees the rows that the save would
/// leave.
struct UniquenessReport {
    let save: SaveContext
    let uniqueColumns: UniqueColumns
    /// All rows that the request inserts or updates.
    let requested: [ObjectID: Row]

    /// Returns each violated constraint, with all objects of the request that share the values.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`.
    func conflicts(of clashing: [ObjectID]) throws(StoreError) -> [UniquenessConflict] {
        var conflicts: [UniquenessConflict] = []
        var reported: [Group: Int] = [:]
        for id in clashing {
            guard let row = requested[id] else { continue }
            for (index, constraint) in uniqueColumns.constraints(ofRoot: id.rootEntity).enumerated()
            {
                guard let values = try values(of: row, constraint) else { continue }
                let group = Group(root: id.rootEntity, constraint: index, values: values)
                if let known = reported[group] {
                    conflicts[known].requested.append(id)
                } else if let conflict = try conflict(of: row, constraint) {
                    reported[group] = conflicts.count
                    conflicts.append(conflict)
                }
            }
        }
        return conflicts
    }

    private struct Group: Hashable {
        var root: EntityNumber
        var constraint: Int
        var values: [Value]
    }

    /// Returns the values of a constraint's properties. Returns `nil` if one of them is `nil`,
    /// which never clashes, or if the row lacks one of the slots.
    private func values(
        of row: Row, _ constraint: UniqueColumns.Constraint
    ) throws(StoreError) -> [Value]? {
        guard let layout = save.schema.map.layouts.layout(of: row.entity) else { return nil }
        var values: [Value] = []
        for property in constraint.properties {
            let parts = property.split(separator: ".").map(String.init)
            guard let slot = layout.slot(named: property) ?? layout.slot(named: parts.first ?? "")
            else { return nil }
            var value = row.value(slot)
            for part in parts.dropFirst() where layout.slot(named: property) == nil {
                guard case .composite(let elements) = value else { return nil }
                value = elements[part] ?? .null
            }
            guard !value.isNull else { return nil }
            values.append(value)
        }
        return values
    }

    /// Returns the conflict with another row that has the same values. Returns `nil` if there is no
    /// such row, because another constraint rejected the row.
    private func conflict(
        of row: Row, _ constraint: UniqueColumns.Constraint
    ) throws(StoreError) -> UniquenessConflict? {
        // The rejected row is not in the table, so its values are bound to the query instead of
        // being
        // joined with.
        let schema = try save.entitySchema(row.entity)
        let slots = schema.slots.filter { !Set($0.valueNames).isDisjoint(with: constraint.columns) }
        let binding = RowBinding(slots, firstParameter: 2)
        let conditions = constraint.columns.compactMap { column in
            binding.columns.firstIndex(of: column).map { "\(column) = ?\($0 + 2)" }
        }
        guard conditions.count == constraint.columns.count else { return nil }
        let select = try save.connection.statement(
            "SELECT Z_PK FROM \(schema.table) WHERE Z_PK <> ?1 AND "
                + conditions.joined(separator: " AND "))
        defer { select.reset() }
        try select.bind(row.key, at: 1)
        try binding.bind(row, to: select, in: save)
        guard try withExtendedLifetime(row, { () throws(StoreError) in try select.step() }) else {
            return nil
        }
        let other = ObjectID(
            store: save.schema.store, rootEntity: row.rootEntity, entity: row.rootEntity,
            key: try select.key(at: 0, "table \(schema.table), column Z_PK"))
        let isRequested = requested[other]
        let stored = isRequested == nil ? try save.storedRows([other])[other] : nil
        return UniquenessConflict(
            entity: constraint.entity.name, constraint: constraint.properties,
            requested: (isRequested.map { [$0.id] } ?? []) + [row.id], stored: stored)
    }
}
