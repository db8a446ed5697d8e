import CairnSQL
import CairnStore

/// The plain indexes of an empty table. They are dropped before many rows are inserted, and created
/// again afterwards, because one sort costs less than a search in each index for each row. Without
/// this, creating and saving objects takes 30 % more processor time (benchmark row K).
///
/// This happens within the save's transaction, so no other connection ever sees the table without
/// its indexes. Unique indexes are kept, because they must reject individual rows.
struct DeferredIndexes {
    /// The minimum number of rows. For fewer rows, a change of the schema is not worthwhile,
    /// because every connection must then read the schema again.
    static let fewestRows = 1000

    private let connection: SQLiteConnection
    /// The statements that create the indexes, in their original order.
    private let statements: [String]

    /// Drops the indexes. Returns `nil` if the table has rows or has no such index.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`.
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

    /// Creates the indexes again, as they were.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`.
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
