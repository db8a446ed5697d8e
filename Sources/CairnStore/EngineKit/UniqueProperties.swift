import CairnModel

/// A combination of properties whose values occur once in a store: a uniqueness constraint, resolved
/// for packed rows.
public struct UniqueProperties: Sendable {
    /// The name of the entity that declares the constraint.
    public let entity: String
    /// The names of the properties.
    public let properties: [String]
    /// The entities of the rows that the constraint is about.
    private let hierarchy: Range<EntityNumber>
    /// The slots of the properties, by entity from the declaring one.
    private let slots: [[RowLayout.Slot]]

    /// Returns the constraints of a model. Those over a property that no row holds are left out: rows
    /// cannot break them.
    public static func all(in layouts: RowLayouts) -> [UniqueProperties] {
        layouts.model.entities.flatMap { entity in
            entity.description.uniquenessConstraints.compactMap {
                UniqueProperties($0, of: entity, layouts)
            }
        }
    }

    /// Resolves one constraint. Returns `nil` if no row holds one of the properties.
    package init?(_ properties: [String], of entity: Entity, _ layouts: RowLayouts) {
        self.entity = entity.name
        self.properties = properties
        hierarchy = entity.hierarchyNumbers
        slots = entity.hierarchy.map { entity in
            properties.compactMap(layouts.layout(of: entity).slot(named:))
        }
        if properties.isEmpty || slots[0].count != properties.count { return nil }
    }

    /// Returns the values of a row that must be unique. Two rows clash if their values are equal.
    ///
    /// Returns `nil` for a row of an entity that the constraint is not about, and for a row with a
    /// `nil` among the values, which clashes with no other.
    public func values(of row: Row) -> [Value]? {
        guard let slots = slots(in: row.entity) else { return nil }
        return slots.contains(where: row.isNull) ? nil : slots.map { row.value($0) }
    }

    /// Returns the slots of the properties in the rows of an entity. Returns `nil` for an entity that the
    /// constraint is not about.
    package func slots(in entity: EntityNumber) -> [RowLayout.Slot]? {
        guard hierarchy.contains(entity) else { return nil }
        return slots[Int(entity.rawValue) - Int(hierarchy.lowerBound.rawValue)]
    }
}
