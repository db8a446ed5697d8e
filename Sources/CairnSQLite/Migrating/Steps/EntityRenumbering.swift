import CairnModel
import CairnStore

/// Updates the entity numbers in rows to those of the new version.
///
/// Reads each table that may contain a changed entity number, and writes only the rows that contain
/// one.
struct EntityRenumbering {
    let plan: InPlacePlan
    let connection: SQLiteConnection

    /// - Precondition: Tables and columns already have their new names.
    /// - Throws: `.corrupt` or `.engineFailure`.
    func run() throws(StoreError) {
        let numbers = plan.pairs.renumbered
        guard !numbers.isEmpty else { return }
        for table in plan.tables where table.oldTable != nil {
            var columns: [SQLName] = []
            if concerns(numbers, table.root) { columns.append(SQLName("Z_ENT")) }
            for plan in table.columns where plan.column.role == .entity && plan.kept != nil {
                guard case .relationship(let relationship) = plan.column.property else { continue }
                if concerns(numbers, relationship.destination.rootEntity) {
                    columns.append(plan.column.name)
                }
            }
            try renumber(columns, of: table.newTable, numbers)
        }
    }

    private func concerns(_ numbers: [(old: Int64, new: Int64)], _ root: Entity) -> Bool {
        let own = Set(plan.pairs.oldNumbers(of: root.hierarchy))
        return numbers.contains { own.contains($0.old) }
    }

    private func renumber(
        _ columns: [SQLName], of table: SQLName, _ numbers: [(old: Int64, new: Int64)]
    ) throws(StoreError) {
        guard !columns.isEmpty else { return }
        let assignments = columns.map { "\($0) = \(Self.renumbered($0, numbers))" }
        let old = numbers.map { "\($0.old)" }.joined(separator: ", ")
        let conditions = columns.map { "\($0) IN (\(old))" }
        try connection.execute(
            "UPDATE \(table) SET \(assignments.joined(separator: ", "))"
                + " WHERE \(conditions.joined(separator: " OR "))")
    }

    /// Returns an expression for a column's new entity number. Numbers that do not change stay as
    /// they are.
    static func renumbered(_ column: SQLName, _ numbers: [(old: Int64, new: Int64)]) -> String {
        let cases = numbers.map { "WHEN \($0.old) THEN \($0.new)" }.joined(separator: " ")
        return "CASE \(column) \(cases) ELSE \(column) END"
    }
}
