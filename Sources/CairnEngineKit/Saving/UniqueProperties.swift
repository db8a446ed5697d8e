import CairnModel
import CairnRows

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
