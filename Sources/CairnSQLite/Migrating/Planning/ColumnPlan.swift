import CairnModel

/// How a column of the new version gets its values.
struct ColumnPlan {
    /// Values that come from another column, for the rows of some entities.
    struct Copy {
        var from: SQLName
        var conversion: ColumnConversion
        /// The old numbers of the entities.
        var entities: [Int64]
    }

    /// A default value for the rows of some entities.
    struct Default {
        var value: Value
        /// The old numbers of the entities.
        var entities: [Int64]
        /// Whether only rows without a value get it.
        var onlyMissing: Bool
    }

    /// Values that are worked out from other columns.
    enum Computation {
        /// The entity of a to-one's destination, which has subentities only now.
        case destinationEntity(key: SQLName, table: SQLName)
        /// The order of members that had none: by key.
        case order(key: SQLName)
        /// The number of members of a to-many.
        case count(members: SQLName, key: SQLName)
    }

    var column: ModelColumn
    /// The old column that becomes this one. `nil` if a column is added.
    var kept: SQLName?
    var copies: [Copy] = []
    /// The old numbers of entities whose values in the kept column are not of this property.
    var cleared: [Int64] = []
    var defaults: [Default] = []
    var computation: Computation?
    /// The old column of each entity of the new version that had one.
    var sources: [Entity: SQLName] = [:]

    /// Whether values of rows change, apart from values that are only worked out.
    var changesValues: Bool { !copies.isEmpty || !cleared.isEmpty || !defaults.isEmpty }
}
