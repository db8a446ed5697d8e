import Cairn

/// Counts.
struct Count: Workload {
    let name = "count"
    let title = "count matches"
    let about = About(
        goal:
            "all: SQLite ≤ 1.5; by an index: SQLite ≤ 1.3, LMDB ≤ 4, InMemory ≤ 8 of counting in C",
        heldFixed: "how many items there are; how many have a category, through the index",
        varied: "C prepares and steps; Cairn takes the predicate as text",
        rest: """
            LMDB: 61,000 instructions; a fifth chooses the index, an eighth reads the predicate's \
            text, a tenth binds it to the model, a twelfth finds the entity
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let ours = try setting.ours(goal: setting.goal(.ratio(1.5))) { context in
            try Self.sample { try context.count(for: FetchRequest<Item>()) }
        }
        let oursOfSome = try setting.ours(goal: setting.ratioGoal(1.3, lmdb: 4, inMemory: 8)) {
            context in
            try Self.sample {
                try context.count(for: FetchRequest<Item>("Item", where: "category == 3"))
            }
        }
        return .contests([
            Contest(part: "all", unit: "count", [ours]),
            Contest(part: "category", unit: "count", [oursOfSome]),
        ])
    }

    private static func sample(_ body: () throws -> Int) throws -> Sample {
        var watch = Stopwatch()
        let count = try watch.time(body)
        return Sample(watch, operations: 1, checksum: RowChecksum(keys: [Int64(count)]).value)
    }
}
