import Cairn

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
            return Sample(watch, operations: results.count, checksum: RowChecksum(keys: keys).value)
        }
        return .contests([Contest(unit: "row", [ours])])
    }
}
