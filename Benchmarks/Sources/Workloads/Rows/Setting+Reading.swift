import BenchmarkRows
import Cairn
import GRDB

/// The libraries in the rows that read items.
extension Setting {
    /// All values of all items.
    func scans() throws -> [Contender] {
        try sqlite("C: step, all columns") { try $0.scan() }
            + lmdb("C: cursor, seal, copy") { try $0.scan() }
            + memory("C: rows in memory, all values") { $0.scan() }
    }

    /// All items as structs.
    func recordScans() throws -> [Contender] {
        try grdb("GRDB, hand-written record") { database in
            try HandWrittenItem.fetchAll(
                database, sql: "SELECT \(HandWrittenItem.columns) FROM item ORDER BY id")
        }
            + grdb("GRDB, Codable record") { database in
                try CodableItem.order(Column("id")).fetchAll(database)
            }
    }

    /// The keys of all items.
    func keyScans() throws -> [Contender] {
        let baselines =
            try sqlite("C: step, keys alone") { try $0.scanKeys() }
            + lmdb("C: cursor, keys alone") { try $0.scanKeys() }
            + memory("C: keys in memory") { $0.scanKeys() }
        guard isSQLite else { return baselines }
        let peer = try grdbItems()
        return baselines + [
            Contender("GRDB, Int64.fetchAll", .peer) {
                try peer.pool.read { database in
                    var watch = Stopwatch()
                    let keys = try watch.time {
                        try Int64.fetchAll(database, sql: "SELECT id FROM item ORDER BY id")
                    }
                    return Sample(
                        watch, operations: keys.count, checksum: RowChecksum(keys: keys).value)
                }
            }
        ]
    }

    /// The memory of all items as structs, and as generic rows.
    func memoryOfRecords() throws -> [Contender] {
        guard isSQLite else { return [] }
        let peer = try grdbItems()
        let sql = "SELECT \(HandWrittenItem.columns) FROM item ORDER BY id"
        return [
            Contender("GRDB, structs", .peer) {
                try peer.pool.read { database in
                    try Sample.memory { try HandWrittenItem.fetchAll(database, sql: sql) }
                }
            },
            Contender("GRDB, Row", .peer) {
                try peer.pool.read { database in
                    try Sample.memory { try Row.fetchAll(database, sql: sql) }
                }
            },
        ]
    }

    /// Items by their keys, one by one.
    func singleReads() throws -> [Contender] {
        let keys = indicesOfFaults.map { Int64($0) + 1 }
        return try reads(keys)
            + grdb("GRDB, prepared statement") { database in
                let statement = try database.cachedStatement(
                    sql: "SELECT \(HandWrittenItem.columns) FROM item WHERE id = ?")
                return try keys.compactMap { key in
                    try HandWrittenItem.fetchOne(statement, arguments: [key])
                }
            }
            + grdb("GRDB, fetchOne(key:)") { database in
                try keys.compactMap { try CodableItem.fetchOne(database, key: $0) }
            }
    }

    private func reads(_ keys: [Int64]) throws -> [Contender] {
        try sqlite("C: prepared, by key") { try $0.items(byKeys: keys) }
            + lmdb("C: get, seal, copy") { try $0.items(byKeys: keys) }
            + memory("C: rows in memory, by key") { $0.items(byKeys: keys) }
    }

    /// Items by their keys, many at once.
    func batchedReads() throws -> [Contender] {
        let keys = indicesOfManyFaults.map { Int64($0) + 1 }
        let baselines = try reads(keys)
        guard isSQLite else { return baselines }
        let peer = try grdbItems()
        return baselines + [
            Contender("GRDB, filter(keys:)", .peer) {
                try peer.pool.read { database in
                    var watch = Stopwatch()
                    let batches = try watch.time {
                        try keys.batches(of: Setting.faultsAtOnce).map { batch in
                            try HandWrittenItem.filter(keys: batch)
                                .select(sql: HandWrittenItem.columns).fetchAll(database)
                        }
                    }
                    // The rows arrive in the order of the table.
                    let byKey = Dictionary(
                        batches.joined().map { ($0.id, $0) },
                        uniquingKeysWith: { first, _ in first })
                    return Sample(watch, rows: keys.compactMap { byKey[$0] })
                }
            }
        ]
    }

    /// The items of some categories, by the index.
    func indexedReads() throws -> [Contender] {
        let categories = fetchedCategories
        return try sqlite("C: prepare, index") { baseline in
            // The digests of several answers, concatenated.
            var all = Reading()
            for category in categories {
                let rest = "WHERE ZCATEGORY = ?1 ORDER BY Z_PK"
                all.append(try baseline.items(rest, Int64(category)))
            }
            return all
        }
            + lmdb("C: index, get, copy") { baseline in
                try categories.map { try baseline.items(category: $0) }
            }
            + memory("C: rows in memory, by category") { baseline in
                categories.map { baseline.items(category: $0) }
            }
            + grdb("GRDB, filter") { database in
                try categories.flatMap { category in
                    try HandWrittenItem.select(sql: HandWrittenItem.columns)
                        .filter(Column("category") == category).order(Column("id"))
                        .fetchAll(database)
                }
            }
    }

    /// The names of the folders of a category's items.
    func joins() throws -> [Contender] {
        try sqlite("C: join") { baseline in
            try baseline.texts(
                """
                SELECT f.ZNAME, i.Z_PK, i.ZNUMBER, i.ZPRICE, i.ZTITLE FROM ZITEM i \
                JOIN ZFOLDER f ON f.Z_PK = i.ZFOLDER WHERE i.ZCATEGORY = 0 ORDER BY i.Z_PK
                """)
        }
            + lmdb("C: index, get both") { try $0.folderNames(category: 0) }
            + memory("C: rows in memory") { $0.folderNames(category: 0) }
            + grdb("GRDB, including(required:)") { database in
                try HandWrittenItem.including(required: HandWrittenItem.folder)
                    .filter(Column("category") == 0).order(Column("id"))
                    .asRequest(of: ItemInFolder.self).fetchAll(database)
            }
    }

    /// The items in some folders.
    func members() throws -> [Contender] {
        let folders = followedFolders
        let owners = FolderRecord.order(Column("id")).limit(folders.count)
        return try sqlite("C: query for each owner") { baseline in
            var all = Reading()
            for folder in folders {
                let rest = "WHERE ZFOLDER = ?1 ORDER BY Z_PK"
                all.append(try baseline.items(rest, Int64(folder) + 1))
            }
            return all
        }
            + lmdb("C: links, get, seal, copy") { baseline in
                try folders.map { try baseline.items(folder: $0 + 1) }
            }
            + memory("C: rows in memory, by folder") { baseline in
                folders.map { baseline.items(folder: $0 + 1) }
            }
            + grdb("GRDB, including(all:)") { database in
                try owners.including(all: FolderRecord.items).asRequest(of: FolderWithItems.self)
                    .fetchAll(database).flatMap(\.items)
            }
            + grdb("GRDB, request for each owner") { database in
                try owners.fetchAll(database).flatMap {
                    try $0.request(for: FolderRecord.items).fetchAll(database)
                }
            }
    }

    /// The keys of the items in some folders.
    func memberKeys() throws -> [Contender] {
        let folders = followedFolders
        return try sqlite("C: keys for each owner") { baseline in
            var all = Reading()
            for folder in folders {
                let sql = "SELECT Z_PK FROM ZITEM WHERE ZFOLDER = ?1 ORDER BY Z_PK"
                all.append(try baseline.integers(sql, Int64(folder) + 1))
            }
            return all
        }
            + lmdb("C: links of each owner") { baseline in
                try folders.map { try baseline.keys(folder: $0 + 1) }
            }
            + memory("C: keys in memory, by folder") { baseline in
                folders.map { baseline.keys(folder: $0 + 1) }
            }
            + grdb("GRDB, including(all:)") { database in
                try FolderRecord.order(Column("id")).limit(folders.count)
                    .including(all: FolderRecord.items.select(Column("id")).forKey("itemIDs"))
                    .asRequest(of: FolderWithItemIDs.self).fetchAll(database).flatMap(\.itemIDs)
            }
    }
}
