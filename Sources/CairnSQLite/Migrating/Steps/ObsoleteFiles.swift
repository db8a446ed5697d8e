import CairnModel
import CairnSQL
import CairnStore

/// The external files that no row will refer to after the migration.
struct ObsoleteFiles {
    let migration: InPlaceMigration

    private var plan: InPlacePlan { migration.plan }

    /// Returns the names of the files of removed objects and attributes.
    ///
    /// - Precondition: Nothing was changed yet.
    /// - Throws: `.corrupt` or `.engineFailure`.
    func names() throws(StoreError) -> [String] {
        var names: [String] = []
        for table in plan.droppedTables {
            for column in externalColumns(of: table) {
                names += try read(column, of: table, where: "1")
            }
        }
        for table in plan.tables {
            guard let old = table.oldTable else { continue }
            let dropped = Set(table.dropped.map(\.name))
            for column in externalColumns(of: old) {
                let numbers = table.removed + cleared(column, of: table)
                let condition =
                    dropped.contains(column)
                    ? "1"
                    : "Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
                guard condition == "1" || !numbers.isEmpty else { continue }
                names += try read(column, of: old, where: condition)
            }
        }
        return names
    }

    private func externalColumns(of table: SQLName) -> [SQLName] {
        let schemas = plan.oldMap.entities.entities.compactMap { plan.oldMap.schema(of: $0.entity) }
        var columns: [SQLName] = []
        for slot in schemas.filter({ $0.table == table }).flatMap(\.slots) {
            guard slot.slot.kind == .externalBinary, let name = slot.name, !columns.contains(name)
            else { continue }
            columns.append(name)
        }
        return columns
    }

    private func cleared(_ column: SQLName, of table: TablePlan) -> [Int64] {
        table.columns.filter { $0.kept == column }.flatMap(\.cleared)
    }

    /// Returns the file names in a column. A value in a file is stored as byte 2 and the file's
    /// name. Values that move to another column are left out, because they keep their files.
    private func read(
        _ column: SQLName, of table: SQLName, where condition: String
    ) throws(StoreError) -> [String] {
        let moved = plan.tables.filter { $0.oldTable == table }.flatMap(\.columns)
            .flatMap(\.copies).filter { $0.from == column }.flatMap(\.entities)
        let select = try migration.connection.statement(
            "SELECT \(column) FROM \(table) WHERE \(condition) AND Z_ENT NOT IN"
                + " (\(moved.map(String.init).joined(separator: ", ")))"
                + " AND substr(\(column), 1, 1) = x'02'")
        var names: [String] = []
        while try select.step() {
            if let name = ExternalDataWriter.name(in: select.bytes(at: 0)) { names.append(name) }
        }
        return names
    }
}
