import Cairn

/// Row A.
struct FetchRealised: Workload {
    let name = "A"
    let title = "fetch all, as realised objects"
    let about = About(
        goal: "SQLite ≤ 1.1, LMDB ≤ 1.2 of reading all columns of all rows",
        heldFixed: """
            all items in the order of their keys, from a warm page cache; freeing is not timed
            """,
        varied: """
            C reads columns and keeps nothing; Cairn makes one uniqued object a row; GRDB one \
            struct
            """,
        rest: """
            of 4,010 instructions a row, 2,040 are SQLite's (C has 3,240 in all), 1,130 check and \
            pack columns, which C takes on trust, and 780 make the object; two threads take 4 % more
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let values = setting.shelf.values(setting.size)
        let control = Contender("plain objects from memory", .control) {
            var watch = Stopwatch()
            let items = watch.time { PlainItem.all(values) }
            return Sample(watch, rows: items)
        }
        let ours = try setting.ours(goal: setting.ratioGoal(1.1, lmdb: 1.2)) { context in
            var watch = Stopwatch()
            let items: [Item] = try watch.time { try context.fetch(FetchRequest<Item>()) }
            return Sample(watch, rows: items)
        }
        return .contests([
            Contest(unit: "row", headline: .fetch, [ours, control])
        ])
    }
}
