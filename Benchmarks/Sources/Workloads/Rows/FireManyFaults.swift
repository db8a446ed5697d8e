import BenchmarkKit
import Cairn
import Foundation
import GRDB

/// Row H.
struct FireManyFaults: Workload {
    let name = "H"
    let title = "fire 500 faults at once"
    let about = About(
        goal: "SQLite ≤ 0.80 of reading the rows one by one",
        heldFixed: """
            20 times 500 items whose keys jump about, no row cached, from a warm page cache
            """,
        varied: """
            C steps a prepared statement for each in one read transaction; Cairn fires the faults \
            of an array; GRDB fetches the records of an array of keys
            """)

    private static let batchCount = 20
    private static let batchSize = 500

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let keys = setting.someKeys(Self.batchCount * Self.batchSize)
        let url = try setting.items()
        let engine = setting.engine
        var contenders = [
            Contender("Cairn", .ours, goal: engine == .sqlite ? .ratio(0.80) : nil) {
                try Faults.fire(keys, engine, at: url) { faults, context in
                    for batch in faults.batches(of: Self.batchSize) {
                        try context.fireFaults(of: Array(batch))
                    }
                }
            }
        ]
        if engine == .sqlite {
            contenders.insert(try ReadByKey.contender(url, keys), at: 0)
            let peer = try GRDBPeer(try setting.shelf.grdbItems(size: setting.size))
            contenders.append(Self.fetchAll(peer, keys))
        }
        return .contests([Contest(unit: "object", contenders)])
    }

    private static func fetchAll(_ peer: GRDBPeer, _ keys: [Int64]) -> Contender {
        Contender("GRDB, filter(keys:)", .peer) {
            try peer.pool.read { database in
                var watch = Stopwatch()
                let batches = try watch.time {
                    try keys.batches(of: batchSize).map { batch in
                        try HandWrittenItem.filter(keys: batch)
                            .select(sql: HandWrittenItem.columns).fetchAll(database)
                    }
                }
                // They come in the order of the table.
                let byKey = Dictionary(
                    batches.joined().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
                let digests = keys.lazy.compactMap { byKey[$0]?.digest }
                return Sample(watch, operations: byKey.count, checksum: Checksum(digests).value)
            }
        }
    }
}

extension Array {
    /// The elements in order, so many at a time.
    func batches(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map {
            self[$0..<Swift.min($0 + count, self.count)]
        }
    }
}
