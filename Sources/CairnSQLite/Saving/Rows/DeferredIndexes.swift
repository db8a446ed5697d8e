import CairnStore

/// The plain indexes of an empty table. They are dropped before many rows are inserted and made
/// again afterwards, because sorting once costs less than a search in each index for each row.
///
/// This happens within the save's transaction, so no other connection ever sees the table without
/// them. Unique indexes stay, because they refuse rows one by one.
struct DeferredIndexes {
    /// Fewer rows are not worth a change of the schema, after which every connection reads it
    /// again.
    static let fewestRows = 1000

    private let connection: SQLiteConnection
    /// The statements that made them, in that order.
    private let statements: [String]

    /// Takes the indexes away. Returns `nil` if the table has rows or no such index.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`.
    init?(of table: SQLName, on connection: SQLiteConnection) throws(StoreError) {
        guard try Self.isEmpty(table, connection) else { return nil }
        let select = try connection.statement(
            """
            SELECT m.name, m.sql FROM pragma_index_list(?) AS i JOIN sqlite_master AS m \
            ON m.type = 'index' AND m.name = i.name \
            WHERE i."unique" = 0 AND i.origin = 'c' ORDER BY m.rowid
            """)
        try select.bind(table.text, at: 1)
        var indexes: [(name: SQLName, sql: String)] = []
        while try select.step() {
            if let name = select.text(at: 0), let sql = select.text(at: 1) {
                indexes.append((SQLName(name), sql))
            }
        }
        guard !indexes.isEmpty else { return nil }
        self.connection = connection
        statements = indexes.map(\.sql)
        for index in indexes { try connection.execute("DROP INDEX \(index.name.quoted)") }
    }

    /// Makes the indexes, as they were.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`.
    func make() throws(StoreError) {
        for statement in statements { try connection.execute(statement) }
    }

    private static func isEmpty(
        _ table: SQLName, _ connection: SQLiteConnection
    ) throws(StoreError) -> Bool {
        let select = try connection.statement("SELECT 1 FROM \(table) LIMIT 1")
        defer { select.reset() }
        return try !select.step()
    }
}
