import CairnModel

/// The changes of the table of one root entity.
struct TablePlan {
    /// The root entity in the new version.
    let root: Entity
    /// The table's old name, or `nil` if the table is new.
    let oldTable: SQLName?
    let newTable: SQLName
    /// The columns, in the order of ``ModelColumn/all(of:in:)``.
    var columns: [ColumnPlan]
    /// The columns of the old version that the new version does not have.
    var dropped: [ModelColumn]
    /// The old numbers of entities whose rows are deleted.
    var removed: [Int64]

    /// The columns that the old table does not have.
    var added: [ColumnPlan] { oldTable == nil ? [] : columns.filter { $0.kept == nil } }

    /// The columns that are renamed.
    var renamed: [ColumnPlan] { columns.filter { $0.kept != nil && $0.kept != $0.column.name } }

    /// Whether objects lose or gain values.
    var changesValues: Bool {
        !removed.isEmpty || !dropped.isEmpty || columns.contains(where: \.changesValues)
    }
}
