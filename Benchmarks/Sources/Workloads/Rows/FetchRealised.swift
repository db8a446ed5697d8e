import BenchmarkKit
import Cairn
import Foundation
import GRDB

/// Row A.
struct FetchRealised: Workload {
    let name = "A"
    let title = "fetch all, as realised objects"
    let about = About(
        goal: "SQLite ≤ 1.0 of stepping over the rows and reading all columns",
        heldFixed: """
            all items in the order of their keys, from a warm page cache; freeing is not timed
            """,
        varied: """
            C reads columns and keeps nothing; Cairn makes one uniqued object a row; GRDB one \
            struct
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let url = try setting.items()
        let stack = try Stack(setting.engine, at: url)
        var contenders = [
            Contender("Cairn", .ours, goal: setting.engine == .sqlite ? .ratio(1.0) : nil) {
                try stack.inContext { try Self.fetchObjects(in: $0) }
            }
        ]
        if setting.engine == .sqlite {
            contenders.insert(try SQLiteScan.contender(url), at: 0)
            let peer = try GRDBPeer(try setting.shelf.grdbItems(size: setting.size))
            contenders += [Self.handWritten(peer), Self.codable(peer)]
        }
        contenders.append(Self.control(setting))
        return .contests([Contest(unit: "row", contenders)])
    }

    private static func fetchObjects(in context: ManagedObjectContext) throws -> Sample {
        var watch = Stopwatch()
        let objects: [Item] = try watch.time {
            try context.fetch(FetchRequest<Item>())
        }
        return Sample(
            watch, operations: objects.count, checksum: Checksum(objects.lazy.map(\.digest)).value)
    }

    private static func handWritten(_ peer: GRDBPeer) -> Contender {
        Contender("GRDB, hand-written record", .peer) {
            try peer.pool.read { database in
                var watch = Stopwatch()
                let items = try watch.time {
                    try HandWrittenItem.fetchAll(
                        database,
                        sql: "SELECT \(HandWrittenItem.columns) FROM item ORDER BY id")
                }
                return Sample(
                    watch, operations: items.count,
                    checksum: Checksum(items.lazy.map(\.digest)).value)
            }
        }
    }

    private static func codable(_ peer: GRDBPeer) -> Contender {
        Contender("GRDB, Codable record", .peer) {
            try peer.pool.read { database in
                var watch = Stopwatch()
                let items = try watch.time {
                    try CodableItem.order(Column("id")).fetchAll(database)
                }
                return Sample(
                    watch, operations: items.count,
                    checksum: Checksum(items.lazy.map(\.digest)).value)
            }
        }
    }

    private static func control(_ setting: Setting) -> Contender {
        let values = setting.shelf.values(setting.size)
        return Contender("plain objects from memory", .control) {
            var watch = Stopwatch()
            let items = watch.time { PlainItem.all(values) }
            return Sample(
                watch, operations: items.count,
                checksum: Checksum(items.lazy.map(\.digest)).value)
        }
    }
}

/// The baseline of rows that fetch all.
enum SQLiteScan {
    /// Steps over all rows and reads all columns.
    static func contender(_ url: URL) throws -> Contender {
        let baseline = try SQLiteBaseline(url)
        return Contender("C: step, all columns", .baseline) {
            var watch = Stopwatch()
            let reading = try watch.time { try baseline.scan() }
            return Sample(watch, operations: reading.count, checksum: reading.checksum)
        }
    }
}
