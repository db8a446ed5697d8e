import CairnModel
import CairnRows
import CairnSQL
import CairnStore
import Foundation

/// The tables of persistent history: what each save changed, by which author, and when.
struct HistoryTables: Sendable {
    static let change = SQLName("ACHANGE")
    static let transaction = SQLName("ATRANSACTION")
    static let text = SQLName("ATRANSACTIONSTRING")

    /// The store's entity numbers of the three tables.
    enum EntityID {
        static let change: Int64 = 16001
        static let transaction: Int64 = 16002
        static let text: Int64 = 16003
    }

    /// Core Data's statements for the tables and their indexes, except for ``change``.
    private static let statements = [
        "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,"
            + " ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER,"
            + " ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR,"
            + " ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
        "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER,"
            + " Z_OPT INTEGER, ZNAME VARCHAR )",
        "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
        "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
        "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
        "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
        "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
        "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION"
            + " (ZAUTHOR COLLATE BINARY ASC)",
        "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION"
            + " (ZTIMESTAMP COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING"
            + " (ZNAME COLLATE BINARY ASC)",
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (16001, 'CHANGE', 0, 0),"
            + " (16002, 'TRANSACTION', 0, 0), (16003, 'TRANSACTIONSTRING', 0, 0)",
    ]

    /// Creates the tables.
    ///
    /// - Parameter entities: The entities that the store holds.
    /// - Precondition: A transaction is open, and the store has no history.
    /// - Throws: `.engineFailure`.
    static func create(
        on connection: SQLiteConnection, for entities: StoreEntities
    ) throws(StoreError) {
        let tombstones = (0..<entities.tombstoneCount).map { ", ZTOMBSTONE\($0) BLOB" }
        try connection.execute(
            "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,"
                + " ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER,"
                + " ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(tombstones.joined()) )")
        for statement in statements { try connection.execute(statement) }
    }

    /// What a store knows of the tables, which other handles may create.
    struct Known: Sendable {
        /// `nil` if the store had no history.
        var tables: HistoryTables?
        /// The version of the schema in which the tables were looked for.
        var schemaVersion: Int64
    }

    /// The columns of the tables.
    let catalog: SchemaCatalog
    /// The columns for the values of deleted objects, in order.
    let tombstoneColumns: [SQLName]

    /// Returns `nil` if the store has no history.
    init?(_ catalog: SchemaCatalog) {
        guard [Self.change, Self.transaction, Self.text].allSatisfy(catalog.hasTable) else {
            return nil
        }
        self.catalog = catalog
        let columns = Set(catalog.columns(of: Self.change))
        let names = (0..<columns.count).map { "ZTOMBSTONE\($0)" }
        tombstoneColumns = names.prefix { columns.contains($0) }.map { SQLName($0) }
    }
}

extension StoreEntities {
    /// The number of columns that the tombstones of the entities need.
    var tombstoneCount: Int { entities.map(\.entity.preservedNames.count).max() ?? 0 }
}
