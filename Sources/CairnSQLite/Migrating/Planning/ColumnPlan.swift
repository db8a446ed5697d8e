import CairnModel

/// How a column of the new version gets its values.
struct ColumnPlan {
    /// Values copied from another column, for the rows of some entities.
    struct Copy {
        var from: SQLName
        var conversion: ColumnConversion
        /// The old entity numbers.
        var entities: [Int64]
    }

    /// A default value for the rows of some entities.
    struct Default {
        var value: Value
        /// The old entity numbers.
        var entities: [Int64]
        /// Whether only rows without a value get the default.
        var onlyMissing: Bool
    }

    /// Values that are computed from other columns.
    enum Computation {
        /// The entity of a to-one relationship's destination, which had no subentities before.
        case destinationEntity(key: SQLName, table: SQLName)
        /// The order keys of members that had no order, in the order of their primary keys.
        case order(key: SQLName)
        /// The number of members of a to-many relationship.
        case count(members: SQLName, key: SQLName)
    }

    var column: ModelColumn
    /// The old column that becomes this one, or `nil` if this column is added.
    var kept: SQLName?
    var copies: [Copy] = []
    /// The old numbers of entities whose values in the kept column belong to another property.
    var cleared: [Int64] = []
    var defaults: [Default] = []
    var computation: Computation?
    /// The old source column for each entity of the new version, if it had one.
    var sources: [Entity: SQLName] = [:]

    /// Whether values of rows change, not counting computed values.
    var changesValues: Bool { !copies.isEmpty || !cleared.isEmpty || !defaults.isEmpty }
}
