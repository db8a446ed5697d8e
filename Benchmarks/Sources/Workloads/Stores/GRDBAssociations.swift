import BenchmarkRows
import GRDB

/// A folder, with the association to its items in the form that GRDB's guide to associations describes.
struct FolderRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "folder"
    /// The table declares no foreign keys, because Core Data's table does not either.
    static let items = hasMany(HandWrittenItem.self, key: "items", using: ForeignKey(["folder"]))
        .order(Column("id"))

    var id: Int64?
    var name: String

    init(name: String) { self.name = name }

    init(row: Row) {
        id = row[0]
        name = row[1]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }
}

extension HandWrittenItem {
    static let folder = belongsTo(FolderRecord.self, key: "folder", using: ForeignKey(["folder"]))
}

/// An item joined with its folder. Only the folder's name is compared.
struct ItemInFolder: FetchableRecord, Digestible {
    var item: HandWrittenItem
    var folder: FolderRecord

    init(row: Row) {
        item = HandWrittenItem(row: row)
        folder = row["folder"]
    }

    var digest: UInt64 { ItemValues.digest(folder.name) }
}

/// A folder with all its items, prefetched.
struct FolderWithItems: FetchableRecord {
    var folder: FolderRecord
    var items: [HandWrittenItem]

    init(row: Row) {
        folder = FolderRecord(row: row)
        items = row["items"]
    }
}

/// A folder with the IDs of its items, prefetched.
struct FolderWithItemIDs: FetchableRecord {
    var folder: FolderRecord
    var itemIDs: [ItemID]

    init(row: Row) {
        folder = FolderRecord(row: row)
        itemIDs = row["itemIDs"]
    }
}

/// The primary key of an item.
struct ItemID: FetchableRecord, Digestible {
    var key: Int64

    init(row: Row) { key = row[0] }

    var digest: UInt64 { UInt64(bitPattern: key) }
}
