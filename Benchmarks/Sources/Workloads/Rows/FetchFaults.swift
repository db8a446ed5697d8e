import BenchmarkKit
import Cairn
import GRDB

/// Row C.
struct FetchFaults: Workload {
    let name = "C"
    let title = "fetch all as faults"
    let about = About(
        goal: "SQLite ≤ 1.2 of stepping over the keys",
        heldFixed: "the keys of all items in their order, from a warm page cache",
        varied: """
            C reads one column; Cairn answers with IDs of which faults are made when touched; GRDB \
            with an array of integers
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let url = try setting.items()
        let stack = try Stack(setting.engine, at: url)
        let isSQLite = setting.engine == .sqlite
        var contenders = [
            Contender("Cairn", .ours, goal: isSQLite ? .ratio(1.2) : nil) {
                try stack.inContext { try Self.fetchFaults(in: $0) }
            }
        ]
        if isSQLite {
            let baseline = try SQLiteBaseline(url)
            contenders.insert(
                Contender("C: step, keys alone", .baseline) {
                    var watch = Stopwatch()
                    let reading = try watch.time { try baseline.scanKeys() }
                    return Sample(watch, operations: reading.count, checksum: reading.checksum)
                }, at: 0)
            contenders.append(
                Self.integers(try GRDBPeer(try setting.shelf.grdbItems(size: setting.size))))
        }
        return .contests([Contest(unit: "row", contenders)])
    }

    private static func fetchFaults(in context: ManagedObjectContext) throws -> Sample {
        var request = FetchRequest<Item>()
        request.returnsObjectsAsFaults = true
        var watch = Stopwatch()
        let results: FetchResults<Item> = try watch.time { try context.fetch(request) }
        let keys = results.objectIDs.lazy.map(\.key)
        return Sample(watch, operations: results.count, checksum: Checksum(keys: keys).value)
    }

    private static func integers(_ peer: GRDBPeer) -> Contender {
        Contender("GRDB, Int64.fetchAll", .peer) {
            try peer.pool.read { database in
                var watch = Stopwatch()
                let keys = try watch.time {
                    try Int64.fetchAll(database, sql: "SELECT id FROM item ORDER BY id")
                }
                return Sample(
                    watch, operations: keys.count, checksum: Checksum(keys: keys).value)
            }
        }
    }
}
