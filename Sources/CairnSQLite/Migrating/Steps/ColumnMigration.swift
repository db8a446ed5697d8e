import CairnModel
import CairnSQL
import CairnStore
import Foundation

/// Changes the columns of a root's table that is kept.
struct ColumnMigration {
    let table: TablePlan
    /// The columns that the table had before, in upper case.
    let present: Set<String>
    /// Whether columns of removed properties are kept, as deferred columns.
    let defersCleanup: Bool
    let connection: SQLiteConnection

    private var name: SQLName { table.newTable }

    /// Renames and adds columns, moves values and fills in defaults.
    ///
    /// - Returns: `false` if another program's column has the name of a new one.
    /// - Throws: `.engineFailure`.
    func run() throws(StoreError) -> Bool {
        let renaming = NameMoves(names, taken: present, mark: Self.mark)
        guard let moves = renaming.moves else { return false }
        for move in moves {
            try connection.execute("ALTER TABLE \(name) RENAME COLUMN \(move.from) TO \(move.to)")
        }
        for plan in table.added {
            let column = plan.column
            try connection.execute(
                "ALTER TABLE \(name) ADD COLUMN \(column.name) \(column.declaration)")
        }
        try moveValues()
        for plan in table.columns { try fill(plan) }
        return true
    }

    /// The current names of the columns to drop, including those that earlier migrations have deferred.
    var droppedNames: [SQLName] {
        if defersCleanup { return [] }
        let current = currentNames
        return table.dropped.compactMap { current[$0.name] }
            + present.filter(DeferredColumn.isName).sorted().map { SQLName($0) }
    }

    // MARK: Names

    private static let mark = "Z_CAIRN_COLUMN"

    private var names: [(from: SQLName?, to: SQLName)] {
        let wanted = Set(table.columns.map(\.column.name.upperText))
        // A column that will be dropped gives up its name if a new column needs it.
        let others = DeferredColumn.names(table.dropped.count, besides: present)
        let gone = zip(table.dropped, others).map { column, other in
            let isWanted = defersCleanup || wanted.contains(column.name.upperText)
            return (from: Optional(column.name), to: isWanted ? other : column.name)
        }
        return table.columns.map { (from: $0.kept, to: $0.column.name) } + gone
    }

    /// The name of each old column after the renaming.
    private var currentNames: [SQLName: SQLName] {
        var current: [SQLName: SQLName] = [:]
        for (from, to) in names { if let from { current[from] = to } }
        return current
    }

    // MARK: Values

    /// Moves values between columns in a single statement, so that every expression reads the old
    /// values.
    private func moveValues() throws(StoreError) {
        let current = currentNames
        var assignments: [String] = []
        var touched: Set<Int64> = []
        for plan in table.columns where !plan.copies.isEmpty || !plan.cleared.isEmpty {
            let column = plan.column.name
            var cases = plan.copies.map { copy in
                let source = current[copy.from] ?? copy.from
                return "WHEN Z_ENT IN (\(Self.list(copy.entities)))"
                    + " THEN \(copy.conversion.sql(source))"
            }
            // Clear the values of another property, except in entities that get a copied value
            // here.
            let cleared = plan.cleared.filter { number in
                !plan.copies.contains { $0.entities.contains(number) }
            }
            if !cleared.isEmpty {
                cases.append("WHEN Z_ENT IN (\(Self.list(cleared))) THEN NULL")
            }
            assignments.append(
                "\(column) = CASE \(cases.joined(separator: " ")) ELSE \(column) END")
            touched.formUnion(cleared)
            touched.formUnion(plan.copies.flatMap(\.entities))
        }
        guard !touched.isEmpty else { return }
        try connection.execute(
            "UPDATE \(name) SET \(assignments.joined(separator: ", "))"
                + " WHERE Z_ENT IN (\(Self.list(touched.sorted())))")
    }

    /// Writes the default values.
    private func fill(_ plan: ColumnPlan) throws(StoreError) {
        guard case .attribute(let attribute) = plan.column.property else { return }
        let column = plan.column.name
        for filling in plan.defaults {
            let update = try connection.statement(
                "UPDATE \(name) SET \(column) = ?1 WHERE Z_ENT IN (\(Self.list(filling.entities)))"
                    + (filling.onlyMissing ? " AND \(column) IS NULL" : ""))
            try update.bind(default: filling.value, of: attribute)
            try update.run()
        }
    }

    private static func list(_ numbers: [Int64]) -> String {
        numbers.map(String.init).joined(separator: ", ")
    }
}

extension SQLiteStatement {
    /// Binds a default value in the stored form that saves use.
    fileprivate func bind(default value: Value, of attribute: Attribute) throws(StoreError) {
        switch value {
        case .null, .objectID, .composite: try bindNull(at: 1)
        case .boolean(let value): try bind(Int64(value ? 1 : 0), at: 1)
        case .integer(let value): try bind(value, at: 1)
        case .double(let value): try bind(value, at: 1)
        case .float(let value): try bind(Double(value), at: 1)
        case .date(let value): try bind(value.timeIntervalSinceReferenceDate, at: 1)
        case .string(let value): try bind(value, at: 1)
        case .uri(let value): try bind(value.absoluteString, at: 1)
        case .uuid(let value): try bind(withUnsafeBytes(of: value.uuid) { Data($0) }, at: 1)
        case .decimal(let value):
            switch StoredDecimal(value) {
            case .integer(let integer)?: try bind(integer, at: 1)
            case .real(let real)?: try bind(real, at: 1)
            case nil: try bind(Double(value.description) ?? .nan, at: 1)
            }
        case .binary(let data), .transformable(let data):
            // Values that may be stored in files begin with a mark (docs/formats/sqlite.md).
            let isMarked = attribute.description.allowsExternalBinaryDataStorage
            try bind(isMarked && !data.isEmpty ? Data([1]) + data : data, at: 1)
        }
    }
}
