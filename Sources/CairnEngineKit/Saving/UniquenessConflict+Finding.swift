import CairnModel
import CairnRows
import CairnStore

extension UniquenessConflict {
    /// Checks all uniqueness constraints for the rows that a save changes.
    ///
    /// - Parameters:
    ///   - constraints: the engine's data for each constraint.
    ///   - properties: returns the properties of a constraint.
    ///   - rows: the changed rows as they are after the save.
    ///   - changed: the IDs of these rows.
    ///   - clashing: returns all rows of the state after the save that have the same values as the
    ///     row.
    /// - Throws: `.uniquenessConflicts` if there are conflicts; the errors that `clashing` throws.
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

    /// Returns the conflicts with one uniqueness constraint among the rows that a save changes.
    ///
    /// An engine calls this after it has written all rows of the request and their derived values,
    /// while no one else can see them. That allows two objects to exchange their values in one
    /// save.
    ///
    /// - Parameters:
    ///   - entity: the name of the entity that declares the constraint.
    ///   - constraint: the names of the properties.
    ///   - rows: the changed rows as they are after the save.
    ///   - changed: the IDs of these rows.
    ///   - clashing: returns all rows of the state after the save that have the same values as the
    ///     given row, including that row, sorted by key.
    /// - Throws: the errors that `clashing` throws.
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
