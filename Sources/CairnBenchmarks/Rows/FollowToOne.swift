import Cairn

/// To-one traversal, with and without prefetching.
struct FollowToOne: Workload {
    let name = "to-one"
    let title = "fetch 1,000 objects and read a value through their to-one"
    let about = About(
        goal: "prefetched: SQLite ≤ 1.2 of a join; LMDB ≤ 2, InMemory ≤ 6 of reading both rows",
        heldFixed: """
            the items of a category, in the order of their keys, and their folders' names; no \
            folder registered, no row cached
            """,
        varied: """
            C joins; Cairn fires a fault for each folder, or prefetches them; \
            GRDB joins, by an association
            """,
        rest: """
            an object for each item and each folder, and their entries in the identity map; C makes \
            no object (on LMDB, objects take half of the instructions). Binary and XML index all \
            rows in each run
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let coldItems = try ColdItems(setting)
        let lazily = Contender("Cairn, faults one by one", .ours) {
            try Self.read(coldItems, prefetching: [])
        }
        let prefetched = Contender(
            "Cairn, prefetched", .ours, goal: setting.ratioGoal(1.2, lmdb: 2, inMemory: 6)
        ) {
            try Self.read(coldItems, prefetching: ["folder"])
        }
        return .contests([
            Contest(unit: "row", headline: .toOne, [lazily, prefetched])
        ])
    }

    private static func read(_ coldItems: ColdItems, prefetching: [String]) throws -> Sample {
        try coldItems.run { stack in
            try stack.inContext { context in
                var watch = Stopwatch()
                let names = try watch.time {
                    var request = try FetchRequest<Item>("Item", where: "category == 0")
                    request.relationshipKeyPathsForPrefetching = prefetching
                    let items: [Item] = try context.fetch(request)
                    return items.map { $0.folder?.name ?? "" }
                }
                return Sample(
                    watch, operations: names.count,
                    checksum: RowChecksum(names.map(ItemValues.digest)).value)
            }
        }
    }
}
