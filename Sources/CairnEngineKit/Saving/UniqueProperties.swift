import CairnModel
import CairnRows
import CairnStore

/// A uniqueness constraint, resolved for packed rows: a set of properties whose combined values are
/// unique in a store.
public struct UniqueProperties: Sendable {
    /// The name of the entity that declares the constraint.
    public let entity: String
    /// The names of the properties whose combined values are unique, in the order in which the
    /// model lists them.
    public let properties: [String]
    /// The entities that the constraint applies to.
    private let hierarchy: Range<EntityNumber>
    /// The slots of the properties for each of these entities, in the order of entity numbers.
    private let slots: [[RowLayout.Slot]]

    /// Returns the constraints of a model. Constraints with a property that is not stored in rows
    /// are left out, because rows cannot violate them.
    public static func all(in layouts: RowLayouts) -> [UniqueProperties] {
        layouts.model.entities.flatMap { entity in
            entity.description.uniquenessConstraints.compactMap {
                UniqueProperties($0, of: entity, layouts)
            }
        }
    }

    /// Resolves one constraint. Returns `nil` if one of the properties is not stored in rows.
    package init?(_ properties: [String], of entity: Entity, _ layouts: RowLayouts) {
        self.entity = entity.name
        self.properties = properties
        hierarchy = entity.hierarchyNumbers
        slots = entity.hierarchy.map { entity in
            properties.compactMap(layouts.layout(of: entity).slot(named:))
        }
        if properties.isEmpty || slots[0].count != properties.count { return nil }
    }

    /// Returns the values of a row that must be unique. Two rows conflict if their values are
    /// equal.
    ///
    /// Returns `nil` if the constraint does not apply to the row's entity. Also returns `nil` if
    /// one of the values is `nil`, because such a row conflicts with no other row.
    public func values(of row: Row) -> [Value]? {
        guard let slots = slots(in: row.entity) else { return nil }
        return slots.contains(where: row.isNull) ? nil : slots.map { row.value($0) }
    }

    /// Returns the slots of the properties in the rows of an entity, or `nil` if the constraint
    /// does not apply to the entity.
    package func slots(in entity: EntityNumber) -> [RowLayout.Slot]? {
        guard hierarchy.contains(entity) else { return nil }
        return slots[Int(entity.rawValue) - Int(hierarchy.lowerBound.rawValue)]
    }
}

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
