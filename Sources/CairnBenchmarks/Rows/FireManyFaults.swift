import BenchmarkKit
import Cairn
import GRDB

/// Row H.
struct FireManyFaults: Workload {
    let name = "H"
    let title = "fire 500 faults at once"
    let about = About(
        goal: "SQLite ≤ 0.8, LMDB ≤ 1.3, InMemory ≤ 1.5 of reading the rows one by one",
        heldFixed: """
            20 times 500 items whose keys jump about, no row cached, from a warm page cache
            """,
        varied: """
            C steps a prepared statement for each in one read transaction; Cairn fires the faults \
            of an array; GRDB fetches the records of an array of keys
            """,
        rest: """
            SQLite: 5,400 instructions, C 7,400; SQLite takes 4,500, giving rows to objects 590, \
            sorting keys 220. Pages that the connection's 4 MB cache lacks cost both sides the same, \
            nearly half of C's time
            """)

    private static let batchCount = 20
    private static let batchSize = 500

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let places = setting.somePlaces(Self.batchCount * Self.batchSize)
        let keys = places.map { Int64($0) + 1 }
        let ours = Contender("Cairn", .ours, goal: setting.ratioGoal(0.8, lmdb: 1.3, inMemory: 1.5))
        {
            try setting.firingFaults(at: places) { faults, context in
                for batch in faults.batches(of: Self.batchSize) {
                    try context.fireFaults(of: Array(batch))
                }
            }
        }
        let baseline =
            try setting.sqlite("C: prepared, by key") { try $0.items(byKeys: keys) }
            + setting.lmdb("C: get, seal, copy") { try $0.items(byKeys: keys) }
            + setting.memory("C: rows in memory, by key") { $0.items(byKeys: keys) }
        return .contests([
            Contest(unit: "object", baseline + [ours] + (try peer(setting, keys)))
        ])
    }

    private func peer(_ setting: Setting, _ keys: [Int64]) throws -> [Contender] {
        guard setting.isSQLite else { return [] }
        let peer = try setting.grdbItems()
        return [
            Contender("GRDB, filter(keys:)", .peer) {
                try peer.pool.read { database in
                    var watch = Stopwatch()
                    let batches = try watch.time {
                        try keys.batches(of: Self.batchSize).map { batch in
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
}

extension Array {
    /// Returns the elements in order, in batches of `count`.
    func batches(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map {
            self[$0..<Swift.min($0 + count, self.count)]
        }
    }
}
