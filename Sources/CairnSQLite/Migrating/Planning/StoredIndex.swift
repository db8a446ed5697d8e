/// An index that a database has.
struct StoredIndex {
    let name: SQLName
    let statement: String

    /// What the index covers: equal for two indexes that differ in their names and in words that mean
    /// nothing to SQLite.
    var definition: String { Self.definition(statement) }

    var isUnique: Bool { Self.isUnique(statement) }

    static func isUnique(_ statement: String) -> Bool { statement.hasPrefix("CREATE UNIQUE ") }

    /// Returns what a statement's index covers.
    static func definition(_ statement: String) -> String {
        guard let start = statement.range(of: " ON ") else { return statement }
        let covered = statement[start.upperBound...]
            .replacing("\"", with: "").replacing(" COLLATE BINARY", with: "")
            .replacing(" ASC", with: "").filter { $0 != " " }
        return (isUnique(statement) ? "UNIQUE " : "") + covered
    }

    /// Returns the name in a statement of ``SchemaBuilder``.
    static func name(in statement: String) -> String {
        let end = statement.range(of: " ON ")?.lowerBound ?? statement.endIndex
        return String(statement[..<end]).replacing("CREATE UNIQUE INDEX ", with: "")
            .replacing("CREATE INDEX ", with: "")
    }
}
