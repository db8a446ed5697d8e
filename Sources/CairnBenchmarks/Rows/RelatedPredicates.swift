import BenchmarkKit
import Cairn
import GRDB

/// Predicates through relationships.
struct RelatedPredicates: Workload {
    let name = "related"
    let title = "predicates through relationships"
    let about = About(
        goal: """
            LMDB and rows in memory: no more than twice what C takes over the same tables; no engine \
            slower than SQLite
            """,
        heldFixed: """
            how many objects match, and for one folder their values; nothing compared is indexed, \
            apart from the to-one itself
            """,
        varied: """
            SQLite takes a sub-select; C marks the matching folders, looks at each item once and counts \
            no members; where the items of one folder are read it is told the key; Cairn takes the \
            predicate as text; GRDB joins or counts by an association
            """,
        rest: """
            half of all: the to-one's key is looked up in a set of bits, by a closure for each \
            row, where C's compiler sees the whole loop
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        .contests([
            try oneFolder(setting), try manyFolders(setting), try anyItem(setting),
            try itemCount(setting),
        ])
    }

    /// A to-one relationship with few matches: the values of the items in one folder.
    private func oneFolder(_ setting: Setting) throws -> Contest {
        let folder = setting.groupCount - 1
        let baseline =
            try setting.sqlite("C: items of a sub-select") {
                try $0.items(
                    "WHERE ZFOLDER IN (SELECT Z_PK FROM ZFOLDER WHERE ZNAME = 'folder \(folder)') "
                        + "ORDER BY Z_PK")
            }
            + setting.lmdb("C: links, get, seal, copy") { try $0.items(folder: folder + 1) }
            + setting.memory("C: rows in memory, by folder") { $0.items(folder: folder + 1) }
        let ours = try setting.ours(goal: setting.goal(.ratio(2), on: .lmdb)) { context in
            var watch = Stopwatch()
            let items: [Item] = try watch.time {
                try context.fetch(
                    FetchRequest<Item>("Item", where: "folder.name == %@", "folder \(folder)"))
            }
            return Sample(watch, rows: items)
        }
        let peer = try setting.grdb("GRDB, joining(required:)") { database in
            let owner = HandWrittenItem.folder.filter(Column("name") == "folder \(folder)")
            return try HandWrittenItem.joining(required: owner).order(Column("id"))
                .fetchAll(database)
        }
        return Contest(part: "to-one, one folder", unit: "match", baseline + [ours] + peer)
    }

    /// A to-one relationship with many matches: the number of items in half of the folders.
    private func manyFolders(_ setting: Setting) throws -> Contest {
        try contest(
            setting, "to-one, half of all", "Item", "folder.name >= 'folder 5'",
            """
            SELECT count(*) FROM ZITEM WHERE ZFOLDER IN \
            (SELECT Z_PK FROM ZFOLDER WHERE ZNAME >= 'folder 5')
            """, .inFolders(from: "folder 5")
        ) { database in
            try HandWrittenItem
                .joining(required: HandWrittenItem.folder.filter(Column("name") >= "folder 5"))
                .fetchCount(database)
        }
    }

    /// A to-many relationship: the number of folders that contain one of the last items.
    private func anyItem(_ setting: Setting) throws -> Contest {
        let number = setting.size - 30
        return try contest(
            setting, "ANY", "Folder", "ANY items.number >= \(number)",
            """
            SELECT count(*) FROM ZFOLDER WHERE Z_PK IN \
            (SELECT ZFOLDER FROM ZITEM WHERE ZNUMBER >= \(number))
            """, .foldersOfNumbers(from: number)
        ) { try Self.folders(from: number).fetchCount($0) }
    }

    /// The number of matching members: a subquery for every folder.
    private func itemCount(_ setting: Setting) throws -> Contest {
        try contest(
            setting, "SUBQUERY", "Folder",
            "SUBQUERY(items, $i, $i.number >= 0).@count > 0",
            """
            SELECT count(*) FROM (SELECT ZFOLDER FROM ZITEM WHERE ZNUMBER >= 0 GROUP BY ZFOLDER \
            HAVING count(*) > 0)
            """, .foldersOfNumbers(from: 0)
        ) { try Self.folders(from: 0).fetchCount($0) }
    }

    /// Returns GRDB's request for the folders that contain an item with at least the given number.
    private static func folders(from number: Int) -> QueryInterfaceRequest<FolderRecord> {
        let items = FolderRecord.items.unordered().filter(Column("number") >= number)
        return FolderRecord.having(items.count > 0)
    }

    private func contest(
        _ setting: Setting, _ part: String, _ entity: String, _ predicate: String, _ sql: String,
        _ query: RowQuery, peer: @escaping (Database) throws -> Int
    ) throws -> Contest {
        let size = setting.size
        let baseline =
            try setting.sqlite("C: sub-select", operations: size) { try $0.integers(sql) }
            + setting.asking("marks by folder", query, operations: size)
        // SQLite's own subselect never reads the row of an item.
        let goal: Goal? = setting.isSQLite ? nil : .ratio(2)
        let ours = try setting.ours(goal: goal) { context in
            var watch = Stopwatch()
            let count = try watch.time {
                try context.count(for: FetchRequest<ManagedObject>(entity, where: predicate))
            }
            return Sample(
                watch, operations: size, checksum: Checksum(keys: [Int64(count)]).value)
        }
        let peer = try setting.grdbCount("GRDB, association", operations: size, peer)
        return Contest(part: part, unit: "item", baseline + [ours] + peer)
    }
}
