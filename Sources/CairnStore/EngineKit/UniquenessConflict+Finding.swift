import CairnModel

extension UniquenessConflict {
    /// Throws the conflicts of the rows that a save changes, under all uniqueness constraints.
    ///
    /// - Parameters:
    ///   - constraints: what the engine keeps for each constraint.
    ///   - properties: returns what one of them is about.
    ///   - rows: as for ``find(_:_:of:changed:clashing:)``, as the others.
    /// - Throws: `.uniquenessConflicts`; what `clashing` throws.
    package static func requireNone<Constraint>(
        under constraints: [Constraint], _ properties: (Constraint) -> UniqueProperties,
        of rows: some Sequence<Row>, changed: Set<ObjectID>,
        clashing: (Row, Constraint) throws(StoreError) -> [Row]
    ) throws(StoreError) {
        var conflicts: [UniquenessConflict] = []
        for constraint in constraints {
            let unique = properties(constraint)
            conflicts += try find(unique.entity, unique.properties, of: rows, changed: changed) {
                (row) throws(StoreError) in try clashing(row, constraint)
            }
        }
        if !conflicts.isEmpty { throw .uniquenessConflicts(conflicts) }
    }

    /// Returns the conflicts of the rows that a save changes, under one uniqueness constraint.
    ///
    /// An engine calls this after it has written all rows of the request, and their derived values,
    /// where no one else sees them. So two objects may exchange their values in one save.
    ///
    /// - Parameters:
    ///   - entity: the name of the entity that declares the constraint.
    ///   - constraint: the names of the properties.
    ///   - rows: the changed rows as they are after the save.
    ///   - changed: the IDs of these rows.
    ///   - clashing: returns all rows of the state after the save that have the same values as the
    ///     given row, itself among them, by key.
    /// - Throws: what `clashing` throws.
    public static func find(
        _ entity: String, _ constraint: [String], of rows: some Sequence<Row>,
        changed: Set<ObjectID>, clashing: (Row) throws(StoreError) -> [Row]
    ) throws(StoreError) -> [UniquenessConflict] {
        var reported: Set<ObjectID> = []
        var conflicts: [UniquenessConflict] = []
        for row in rows where !reported.contains(row.id) {
            let found = try clashing(row)
            if found.count < 2 { continue }
            let requested = found.map(\.id).filter(changed.contains)
            reported.formUnion(requested)
            conflicts.append(
                UniquenessConflict(
                    entity: entity, constraint: constraint, requested: requested,
                    stored: found.first { !changed.contains($0.id) }))
        }
        return conflicts
    }
}
