import CairnModel

/// What happens to the table of one root.
struct TablePlan {
    /// The root in the new version.
    let root: Entity
    /// The table's name before and after. `oldTable` is `nil` if the table is new.
    let oldTable: SQLName?
    let newTable: SQLName
    /// In the order in which ``ModelColumn/all(of:in:)`` finds them.
    var columns: [ColumnPlan]
    /// The columns of the old version that the new version does not have.
    var dropped: [ModelColumn]
    /// The old numbers of entities whose rows are deleted.
    var removed: [Int64]

    /// The columns that the old table does not have.
    var added: [ColumnPlan] { oldTable == nil ? [] : columns.filter { $0.kept == nil } }

    /// The columns that get another name.
    var renamed: [ColumnPlan] { columns.filter { $0.kept != nil && $0.kept != $0.column.name } }

    /// Whether objects lose or get values.
    var changesValues: Bool {
        !removed.isEmpty || !dropped.isEmpty || columns.contains(where: \.changesValues)
    }
}
