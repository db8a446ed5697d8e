import CairnSQL
import CairnStore

/// The tables that a database really has, with their columns.
struct SchemaCatalog: Sendable {
    /// The columns of each table in declared order. Table and column names are in upper case,
    /// because SQLite ignores case in names.
    private let columns: [String: [String]]

    /// Reads all tables that are not virtual. SQLite cannot describe a virtual table whose module
    /// is not loaded in this process, and Core Data keeps no rows in virtual tables.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    init(reading connection: SQLiteConnection) throws(StoreError) {
        var columns: [String: [String]] = [:]
        let select = try connection.statement(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
        // One statement for each table takes a third of the time of a join with
        // `pragma_table_info`.
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

    /// The names of all tables, in upper case.
    var tables: [String] { Array(columns.keys) }

    /// Returns the table's column names in declared order and in upper case.
    func columns(of table: SQLName) -> [String] { columns[table.text.uppercased()] ?? [] }

    func hasTable(_ name: SQLName) -> Bool { columns[name.text.uppercased()] != nil }

    func hasColumn(_ column: SQLName, in table: SQLName) -> Bool {
        columns(of: table).contains(column.text.uppercased())
    }

    /// Returns the column whose name consists of the prefix, a number and the suffix. Returns `nil`
    /// unless exactly one column matches.
    func column(in table: SQLName, prefix: String, suffix: String) -> SQLName? {
        let found = columns(of: table).filter {
            $0.isNumber(between: prefix, and: suffix)
        }
        return found.count == 1 ? found.first.map(SQLName.init(_:)) : nil
    }
}

extension String {
    /// Whether the string consists of the prefix, at least one digit and the suffix.
    func isNumber(between prefix: String, and suffix: String) -> Bool {
        guard hasPrefix(prefix), hasSuffix(suffix), count > prefix.count + suffix.count else {
            return false
        }
        return dropFirst(prefix.count).dropLast(suffix.count).utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
    }
}
