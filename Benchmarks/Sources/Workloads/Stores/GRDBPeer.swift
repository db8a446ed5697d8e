import BenchmarkRows
import Foundation
import GRDB

/// GRDB with its own database, in the form that its documentation recommends: a record for each row.
///
/// It has the same columns and indexes as Core Data's table, the same page cache, and the same syncs.
struct GRDBPeer {
    /// A query for the table's columns, for a proof.
    static let proof = """
        SELECT id, number, category, price, rating, active, created, name, title, code, note, \
        folder, version FROM item ORDER BY number
        """

    let pool: DatabasePool

    /// Opens a database, or creates an empty one.
    ///
    /// - Throws: `DatabaseError`.
    init(_ url: URL) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = -4000")
        }
        pool = try DatabasePool(path: url.path, configuration: configuration)
        // Creating a pool sets NORMAL.
        try pool.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
    }

    /// Creates the tables.
    ///
    /// - Throws: `DatabaseError`.
    func createSchema() throws {
        try pool.write { database in
            try database.create(table: "folder") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("name", .text)
            }
            try database.create(table: "item") { table in
                table.primaryKey("id", .integer)
                table.column("version", .integer)
                table.column("active", .boolean)
                table.column("category", .integer).indexed()
                table.column("folder", .integer).indexed()
                table.column("number", .integer)
                table.column("created", .double)
                table.column("price", .double)
                table.column("rating", .double)
                table.column("code", .text)
                table.column("name", .text)
                table.column("note", .text)
                table.column("title", .text)
            }
        }
    }

    /// Inserts `count` folders in one transaction.
    ///
    /// - Throws: `DatabaseError`.
    func insertFolders(_ count: Int) throws {
        try pool.write { database in
            for index in 0..<count { try FolderRecord(name: "folder \(index)").insert(database) }
        }
    }

    /// Inserts items as records, in one transaction.
    ///
    /// - Parameter folder: Returns the index of an item's folder for the item's index.
    /// - Throws: `DatabaseError`.
    func insert(_ values: [ItemValues], folder: (Int) -> Int) throws {
        try pool.write { database in
            for (index, value) in values.enumerated() {
                let key = Int64(folder(index)) + 1
                try HandWrittenItem(id: nil, folder: key, values: value).insert(database)
            }
        }
    }
}

extension GRDBPeer {
    /// Returns all items, in the order of their keys.
    ///
    /// - Throws: `DatabaseError`.
    func allItems() throws -> [HandWrittenItem] {
        try pool.read { database in
            try HandWrittenItem.fetchAll(
                database, sql: "SELECT \(HandWrittenItem.columns) FROM item ORDER BY id")
        }
    }
}

/// An item in the form that GRDB's performance guide recommends, with columns read by position.
struct HandWrittenItem: FetchableRecord, PersistableRecord {
    static let databaseTableName = "item"
    /// All columns, in the order in which ``init(row:)`` reads them.
    static let columns = """
        id, version, active, category, folder, number, created, price, rating, code, name, note, \
        title
        """

    var id: Int64?
    var version: Int64 = 1
    var folder: Int64
    var values: ItemValues

    init(id: Int64?, folder: Int64, values: ItemValues) {
        self.id = id
        self.folder = folder
        self.values = values
    }

    init(row: Row) {
        id = row[0]
        version = row[1]
        folder = row[4]
        values = ItemValues(
            number: row[5], category: row[3], price: row[7], rating: row[8], active: row[2],
            created: Date(timeIntervalSinceReferenceDate: row[6]), name: row[10], title: row[12],
            code: row[9], note: row[11])
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["version"] = version
        container["active"] = values.active
        container["category"] = values.category
        container["folder"] = folder
        container["number"] = values.number
        container["created"] = values.created.timeIntervalSinceReferenceDate
        container["price"] = values.price
        container["rating"] = values.rating
        container["code"] = values.code
        container["name"] = values.name
        container["note"] = values.note
        container["title"] = values.title
    }

    var digest: UInt64 { values.digest(key: id ?? 0, folder: folder, version: version) }
}

/// An item in the form that GRDB's readme shows first, with synthesized `Codable` methods.
struct CodableItem: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "item"

    var id: Int64
    var version: Int64
    var active: Bool
    var category: Int64
    var folder: Int64
    var number: Int64
    var created: Double
    var price: Double
    var rating: Double
    var code: String
    var name: String
    var note: String?
    var title: String

    var digest: UInt64 {
        ItemValues(
            number: number, category: category, price: price, rating: rating, active: active,
            created: Date(timeIntervalSinceReferenceDate: created), name: name, title: title,
            code: code, note: note
        ).digest(key: id, folder: folder, version: version)
    }
}
