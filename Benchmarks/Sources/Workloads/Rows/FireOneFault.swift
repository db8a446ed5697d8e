import BenchmarkKit
import Cairn
import Foundation
import GRDB

/// Row G.
struct FireOneFault: Workload {
    let name = "G"
    let title = "fire one fault, its row not cached"
    let about = About(
        goal: "SQLite ≤ 1.3 of reading a row by its key",
        heldFixed: "2,000 items whose keys jump about, one after the other, from a warm page cache",
        varied: """
            C steps a prepared statement in one read transaction; Cairn reads an attribute of a \
            fault, every time a read of its own; GRDB fetches a record, by prepared statement or \
            by key
            """)

    /// How many faults are fired.
    private static let count = 2_000

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let keys = setting.someKeys(Self.count)
        let url = try setting.items()
        let engine = setting.engine
        var contenders = [
            Contender("Cairn", .ours, goal: engine == .sqlite ? .ratio(1.3) : nil) {
                try Faults.fire(keys, engine, at: url) { faults, _ in
                    for fault in faults { _ = fault.number }
                }
            }
        ]
        if engine == .sqlite {
            contenders.insert(try ReadByKey.contender(url, keys), at: 0)
            let peer = try GRDBPeer(try setting.shelf.grdbItems(size: setting.size))
            contenders += [
                ReadByKey.prepared(peer, keys), ReadByKey.fetchOne(peer, keys),
            ]
        }
        return .contests([Contest(unit: "object", contenders)])
    }
}

/// Faults of a store whose rows no one has read.
enum Faults {
    /// Makes faults of these keys, and counts what the body takes to fire them.
    static func fire(
        _ keys: [Int64], _ engine: StoreType, at url: URL,
        _ body: @Sendable ([Item], ManagedObjectContext) throws -> Void
    ) throws -> Sample {
        // A coordinator of its own: no row of it is cached.
        let stack = try Stack(engine, at: url)
        let sample = try stack.inContext { context in
            let ids = try context.fetchIDs(FetchRequest<Item>())
            let faults = try keys.map { key in
                try context.object(with: ids[Int(key) - 1]) as? Item
            }.compactMap(\.self)
            var watch = Stopwatch()
            try watch.time { try body(faults, context) }
            return Sample(
                watch, operations: faults.count,
                checksum: Checksum(faults.lazy.map(\.digest)).value)
        }
        try stack.close()
        return sample
    }
}

/// Peers and baseline of rows that read items by their keys.
enum ReadByKey {
    static func contender(_ url: URL, _ keys: [Int64]) throws -> Contender {
        let baseline = try SQLiteBaseline(url)
        return Contender("C: prepared, by key", .baseline) {
            var watch = Stopwatch()
            let reading = try watch.time { try baseline.items(byKeys: keys) }
            return Sample(watch, operations: reading.count, checksum: reading.checksum)
        }
    }

    static func prepared(_ peer: GRDBPeer, _ keys: [Int64]) -> Contender {
        read(peer, "GRDB, prepared statement", keys) { database in
            let statement = try database.cachedStatement(
                sql: "SELECT \(HandWrittenItem.columns) FROM item WHERE id = ?")
            return try keys.compactMap { key in
                try HandWrittenItem.fetchOne(statement, arguments: [key])
            }
        }
    }

    static func fetchOne(_ peer: GRDBPeer, _ keys: [Int64]) -> Contender {
        Contender("GRDB, fetchOne(key:)", .peer) {
            try peer.pool.read { database in
                var watch = Stopwatch()
                let items = try watch.time {
                    try keys.compactMap { try CodableItem.fetchOne(database, key: $0) }
                }
                return Sample(
                    watch, operations: items.count,
                    checksum: Checksum(items.lazy.map(\.digest)).value)
            }
        }
    }

    static func read(
        _ peer: GRDBPeer, _ name: String, _ keys: [Int64],
        _ body: @escaping (Database) throws -> [HandWrittenItem]
    ) -> Contender {
        Contender(name, .peer) {
            try peer.pool.read { database in
                var watch = Stopwatch()
                let items = try watch.time { try body(database) }
                return Sample(
                    watch, operations: items.count,
                    checksum: Checksum(items.lazy.map(\.digest)).value)
            }
        }
    }
}
