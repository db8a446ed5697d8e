/// An existing index of a database.
struct StoredIndex {
    let name: SQLName
    let statement: String

    /// What the index covers. Equal for two indexes that differ only in their names and in words
    /// that have no effect in SQLite.
    var definition: String { Self.definition(statement) }

    var isUnique: Bool { Self.isUnique(statement) }

    static func isUnique(_ statement: String) -> Bool { statement.hasPrefix("CREATE UNIQUE ") }

    /// Returns what the index of a statement covers.
    static func definition(_ statement: String) -> String {
        guard let start = statement.range(of: " ON ") else { return statement }
        let covered = statement[start.upperBound...]
            .replacing("\"", with: "").replacing(" COLLATE BINARY", with: "")
            .replacing(" ASC", with: "").filter { $0 != " " }
        return (isUnique(statement) ? "UNIQUE " : "") + covered
    }

    /// Returns the index name in a statement that ``SchemaBuilder`` built.
    static func name(in statement: String) -> String {
        let end = statement.range(of: " ON ")?.lowerBound ?? statement.endIndex
        return String(statement[..<end]).replacing("CREATE UNIQUE INDEX ", with: "")
            .replacing("CREATE INDEX ", with: "")
    }
}
