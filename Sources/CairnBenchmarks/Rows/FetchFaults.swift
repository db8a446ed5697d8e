import BenchmarkKit
import Cairn
import GRDB

/// Row C.
struct FetchFaults: Workload {
    let name = "C"
    let title = "fetch all as faults"
    let about = About(
        goal: "SQLite ≤ 1.2, LMDB ≤ 1.3 of reading the keys of all rows",
        heldFixed: "the keys of all items in their order, from a warm page cache",
        varied: """
            C reads one column; Cairn answers with IDs of which faults are made when touched; GRDB \
            with an array of integers
            """,
        rest: """
            LMDB: the entity of each row is read and the order of keys is checked, which C leaves out
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let ours = try setting.ours(goal: setting.ratioGoal(1.2, lmdb: 1.3)) { context in
            var request = FetchRequest<Item>()
            request.returnsObjectsAsFaults = true
            var watch = Stopwatch()
            let results: FetchResults<Item> = try watch.time { try context.fetch(request) }
            let keys = results.objectIDs.lazy.map(\.key)
            return Sample(watch, operations: results.count, checksum: Checksum(keys: keys).value)
        }
        let baseline =
            try setting.sqlite("C: step, keys alone") { try $0.scanKeys() }
            + setting.lmdb("C: cursor, keys alone") { try $0.scanKeys() }
            + setting.memory("C: keys in memory") { $0.scanKeys() }
        return .contests([Contest(unit: "row", baseline + [ours] + (try peer(setting)))])
    }

    private func peer(_ setting: Setting) throws -> [Contender] {
        guard setting.isSQLite else { return [] }
        let peer = try setting.grdbItems()
        return [
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
        ]
    }
}
