import Cairn

/// Row B.
struct FetchLazily: Workload {
    let name = "B"
    let title = "fetch all, objects made when they are touched"
    let about = About(
        goal: "SQLite ≤ 1.0, LMDB ≤ 0.75 of reading all columns of all rows",
        heldFixed: """
            all items in the order of their keys, from a warm page cache; freeing is not timed
            """,
        varied: """
            C reads columns and keeps nothing; Cairn has every row's values and makes no object
            """,
        rest: """
            SQLite takes 2,040 of 3,230 instructions a row, and 1,130 check and pack columns, \
            which C takes on trust
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        .contests([try Self.contest(in: setting, goal: setting.ratioGoal(1.0, lmdb: 0.75))])
    }

    static func contest(in setting: Setting, goal: Goal?) throws -> Contest {
        let ours = try setting.ours(goal: goal) { context in
            var watch = Stopwatch()
            let results: FetchResults<Item> = try watch.time {
                try context.fetch(FetchRequest<Item>())
            }
            return Sample(watch, rows: results)
        }
        return Contest(unit: "row", [ours])
    }
}
