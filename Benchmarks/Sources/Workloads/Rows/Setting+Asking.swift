import BenchmarkRows
import Cairn
import GRDB

/// The libraries in the rows that ask for numbers, single values and few items.
extension Setting {
    /// The number of items, or that of a category's items.
    func counts(_ part: String) throws -> [Contender] {
        if part == "all" {
            return try sqlite("C: count(*)", operations: 1) {
                try $0.integers("SELECT count(*) FROM ZITEM")
            }
                + lmdb("C: mdb_stat", operations: 1) { try $0.count() }
                + memory("C: a number that is kept", operations: 1) { $0.count() }
                + grdbCount("GRDB, fetchCount", operations: 1) {
                    try HandWrittenItem.fetchCount($0)
                }
        }
        return try sqlite("C: count(*), index", operations: 1) {
            try $0.integers("SELECT count(*) FROM ZITEM WHERE ZCATEGORY = 3")
        }
            + lmdb("C: count duplicates", operations: 1) { try $0.count(category: 3) }
            + memory("C: a number that is kept", operations: 1) { $0.count(category: 3) }
            + grdbCount("GRDB, fetchCount", operations: 1) {
                try HandWrittenItem.filter(Column("category") == 3).fetchCount($0)
            }
    }

    /// The title, number and price of all items.
    func columns() throws -> [Contender] {
        try sqlite("C: step, three columns") { try $0.columns() }
            + asking("three values", .columns)
            + grdb("GRDB, rows") { database in
                try HandWrittenItem.select(Column("title"), Column("number"), Column("price"))
                    .order(Column("id")).asRequest(of: Row.self).fetchAll(database)
            }
    }

    /// The items with the highest prices.
    func highestPrices() throws -> [Contender] {
        let peer = try grdb("GRDB, order, limit") { database in
            try HandWrittenItem.select(sql: HandWrittenItem.columns)
                .order(Column("price").desc, Column("id")).limit(100).fetchAll(database)
        }
        return try sqlite("C: ORDER BY, LIMIT", operations: size) {
            try $0.items("ORDER BY ZPRICE DESC, Z_PK LIMIT 100")
        } + asking("keep the highest", .highestPrices, operations: size) + lookingAtAll(peer)
    }

    /// Returns contenders that look at all items, however few they return.
    private func lookingAtAll(_ contenders: [Contender]) -> [Contender] {
        contenders.map { [size] contender in
            var changed = contender
            changed.run = {
                var sample = try contender.run()
                sample.operations = size
                return sample
            }
            return changed
        }
    }

    /// The sum of the numbers in each category.
    func sums() throws -> [Contender] {
        try sqlite("C: GROUP BY", operations: size) {
            try $0.integers("SELECT sum(ZNUMBER) FROM ZITEM GROUP BY ZCATEGORY ORDER BY ZCATEGORY")
        }
            + asking("add up", .sums(categories: groupCount), operations: size)
            + lookingAtAll(
                try grdb("GRDB, group") { database in
                    try HandWrittenItem.select(sum(Column("number"))).group(Column("category"))
                        .order(Column("category")).asRequest(of: Int64.self).fetchAll(database)
                })
    }

    /// The number of titles with a property.
    func textSearches(_ part: String) throws -> [Contender] {
        let (condition, query): (String, RowQuery) =
            switch part {
            case "CONTAINS": ("instr(ZTITLE, 'qrs') > 0", .titlesContain("qrs"))
            case "CONTAINS[cd]": ("ZTITLE LIKE '%QRS%'", .titlesContain("qrs", anyCase: true))
            case "BEGINSWITH": ("ZTITLE >= 'ab' AND ZTITLE < 'ac'", .titlesBegin("ab"))
            default: ("ZTITLE GLOB 'a*z'", .titlesBeginAndEnd("a", "z"))
            }
        return try sqlite("C: \(condition)", operations: size) {
            try $0.integers("SELECT count(*) FROM ZITEM WHERE \(condition)")
        } + asking("search", query, operations: size)
    }

    /// What predicates through relationships find.
    func relatedSearches(_ part: String) throws -> [Contender] {
        switch part {
        case "to-one, half of all":
            return try relatedCount(
                """
                SELECT count(*) FROM ZITEM WHERE ZFOLDER IN \
                (SELECT Z_PK FROM ZFOLDER WHERE ZNAME >= 'folder 5')
                """, .inFolders(from: "folder 5")
            ) { database in
                try HandWrittenItem
                    .joining(required: HandWrittenItem.folder.filter(Column("name") >= "folder 5"))
                    .fetchCount(database)
            }
        case "ANY":
            let number = size - 30
            return try relatedCount(
                """
                SELECT count(*) FROM ZFOLDER WHERE Z_PK IN \
                (SELECT ZFOLDER FROM ZITEM WHERE ZNUMBER >= \(number))
                """, .foldersOfNumbers(from: number)
            ) { try Self.folders(from: number).fetchCount($0) }
        case "SUBQUERY":
            return try relatedCount(
                """
                SELECT count(*) FROM (SELECT ZFOLDER FROM ZITEM WHERE ZNUMBER >= 0 GROUP BY ZFOLDER \
                HAVING count(*) > 0)
                """, .foldersOfNumbers(from: 0)
            ) { try Self.folders(from: 0).fetchCount($0) }
        default: return try itemsOfFolder(named: groupCount - 1)
        }
    }

    /// The items in one folder, found by its name.
    private func itemsOfFolder(named folder: Int) throws -> [Contender] {
        try sqlite("C: items of a sub-select") {
            try $0.items(
                "WHERE ZFOLDER IN (SELECT Z_PK FROM ZFOLDER WHERE ZNAME = 'folder \(folder)') "
                    + "ORDER BY Z_PK")
        }
            + lmdb("C: links, get, seal, copy") { try $0.items(folder: folder + 1) }
            + memory("C: rows in memory, by folder") { $0.items(folder: folder + 1) }
            + grdb("GRDB, joining(required:)") { database in
                let owner = HandWrittenItem.folder.filter(Column("name") == "folder \(folder)")
                return try HandWrittenItem.joining(required: owner).order(Column("id"))
                    .fetchAll(database)
            }
    }

    /// Returns GRDB's request for the folders that contain an item with at least the given number.
    private static func folders(from number: Int) -> QueryInterfaceRequest<FolderRecord> {
        let items = FolderRecord.items.unordered().filter(Column("number") >= number)
        return FolderRecord.having(items.count > 0)
    }

    private func relatedCount(
        _ sql: String, _ query: RowQuery, peer: @escaping (Database) throws -> Int
    ) throws -> [Contender] {
        try sqlite("C: sub-select", operations: size) { try $0.integers(sql) }
            + asking("marks by folder", query, operations: size)
            + grdbCount("GRDB, association", operations: size, peer)
    }

    /// Opening a store and reading its first item.
    func openings() throws -> [Contender] {
        let url = try itemsURL()
        switch engine {
        case .lmdb:
            return opening("C: open, first row, close") {
                let baseline = try LMDBBaseline(url)
                defer { baseline.close() }
                return try baseline.scan(first: 1).reading.checksum
            }
        case .binary:
            return opening("C: read, checksum, first row") {
                try BinaryBaseline(reading: url).firstRowChecksum
            }
        case .xml: return [XMLFile.parsing(url, toFirst: true)]
        case .sqlite:
            let database = try shelf.grdb(.items, size: size)
            return opening("C: open, step, close") {
                try SQLiteBaseline(url).items("ORDER BY Z_PK LIMIT 1").checksum
            }
                + opening("GRDB, DatabasePool", .peer) {
                    let peer = try GRDBPeer(database)
                    let items = try peer.pool.read { database in
                        try HandWrittenItem.select(sql: HandWrittenItem.columns)
                            .order(Column("id")).limit(1).fetchAll(database)
                    }
                    try peer.pool.close()
                    return RowChecksum(items.lazy.map(\.digest)).value
                }
        default: return []
        }
    }

    /// - Parameter body: The work, which is timed. Returns the checksum of the first item.
    private func opening(
        _ name: String, _ role: Contender.Role = .baseline, _ body: @escaping () throws -> UInt64
    ) -> [Contender] {
        [
            Contender(name, role) {
                var watch = Stopwatch()
                let checksum = try watch.time(body)
                return Sample(watch, operations: 1, checksum: checksum)
            }
        ]
    }
}

extension Int64: Digestible {
    /// The number itself.
    public var digest: UInt64 { UInt64(bitPattern: self) }
}

extension Row: Digestible {
    /// The digest of a title, a number and a price.
    public var digest: UInt64 {
        ItemValues.columnsDigest(title: self[0], number: self[1], price: self[2])
    }
}
