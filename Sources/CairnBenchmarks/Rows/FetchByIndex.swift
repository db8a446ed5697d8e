import Cairn

/// Row J.
struct FetchByIndex: Workload {
    let name = "J"
    let title = "fetch the 1,000 objects of an indexed predicate"
    let about = About(
        goal: "SQLite ≤ 1.0, LMDB ≤ 1.2 of finding and reading the rows by the index",
        heldFixed: """
            category = c through the index, in the order of the keys, for up to 10 values of c
            """,
        varied: """
            C prepares each time; Cairn takes the predicate as text each time and makes objects; \
            GRDB takes a query interface request and makes structs
            """,
        rest: """
            of 5,840 instructions a row, 4,900 are SQLite's (C has 5,260 in all) and 790 make the \
            object
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let categories = setting.fetchedCategories
        let ours = try setting.ours(goal: setting.ratioGoal(1.0, lmdb: 1.2)) { context in
            var watch = Stopwatch()
            let answers: [[Item]] = try watch.time {
                try categories.map { category in
                    try context.fetch(FetchRequest<Item>("Item", where: "category == %@", category))
                }
            }
            return Sample(watch, rows: answers.flatMap(\.self))
        }
        return .contests([Contest(unit: "row", [ours])])
    }
}

extension Setting {
    /// The categories whose items are fetched, one after the other.
    package var fetchedCategories: Range<Int> { 0..<min(10, groupCount) }
}
