import CairnStore

/// What tables a database really has, with their columns.
struct SchemaCatalog: Sendable {
    /// Columns by table in its order; both upper-cased, as SQLite compares names.
    private let columns: [String: [String]]

    /// Reads the tables that are no virtual ones: SQLite cannot describe a virtual table whose module
    /// this process lacks, and Core Data keeps no rows in one.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    init(reading connection: SQLiteConnection) throws(StoreError) {
        var columns: [String: [String]] = [:]
        let select = try connection.statement(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
        // A statement for each table takes a third of the time of a join with `pragma_table_info`.
        while try select.step() {
            guard let table = select.text(at: 0) else { continue }
            let list = try SQLiteStatement(
                "PRAGMA main.table_info(\(SQLName(table).quoted))", on: connection)
            var names: [String] = []
            while try list.step() { list.text(at: 1).map { names.append($0.uppercased()) } }
            columns[table.uppercased()] = names
        }
        self.columns = columns
    }

    /// All tables, upper-cased.
    var tables: [String] { Array(columns.keys) }

    /// The table's columns in its order, upper-cased.
    func columns(of table: SQLName) -> [String] { columns[table.text.uppercased()] ?? [] }

    func hasTable(_ name: SQLName) -> Bool { columns[name.text.uppercased()] != nil }

    func hasColumn(_ column: SQLName, in table: SQLName) -> Bool {
        columns(of: table).contains(column.text.uppercased())
    }

    /// Returns the column of the table that is the prefix, a number, and the suffix. Returns `nil`
    /// if there is none, or more than one.
    func column(in table: SQLName, prefix: String, suffix: String) -> SQLName? {
        let found = columns(of: table).filter {
            $0.isNumber(between: prefix, and: suffix)
        }
        return found.count == 1 ? found.first.map(SQLName.init) : nil
    }
}

extension String {
    /// Whether the text is the prefix, at least one digit and the suffix.
    func isNumber(between prefix: String, and suffix: String) -> Bool {
        guard hasPrefix(prefix), hasSuffix(suffix), count > prefix.count + suffix.count else {
            return false
        }
        return dropFirst(prefix.count).dropLast(suffix.count).utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
    }
}
