import BenchmarkKit
import Cairn
import GRDB

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

    private static let categoryCount = 10

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let categories = 0..<min(Self.categoryCount, setting.groupCount)
        let ours = try setting.ours(goal: setting.ratioGoal(1.0, lmdb: 1.2)) { context in
            var watch = Stopwatch()
            let answers: [[Item]] = try watch.time {
                try categories.map { category in
                    try context.fetch(FetchRequest<Item>("Item", where: "category == %@", category))
                }
            }
            return Sample(watch, rows: answers.flatMap(\.self))
        }
        let filter = try setting.grdb("GRDB, filter") { database in
            try categories.flatMap { category in
                try HandWrittenItem.select(sql: HandWrittenItem.columns)
                    .filter(Column("category") == category).order(Column("id"))
                    .fetchAll(database)
            }
        }
        return .contests([
            Contest(unit: "row", try Self.baseline(setting, categories) + [ours] + filter)
        ])
    }

    private static func baseline(
        _ setting: Setting, _ categories: Range<Int>
    ) throws -> [Contender] {
        try setting.sqlite("C: prepare, index") { baseline in
            // The digests of several answers, concatenated.
            var all = Reading()
            for category in categories {
                let rest = "WHERE ZCATEGORY = ?1 ORDER BY Z_PK"
                all.append(try baseline.items(rest, Int64(category)))
            }
            return all
        }
            + setting.lmdb("C: index, get, copy") { baseline in
                try categories.map { try baseline.items(category: $0) }
            }
            + setting.memory("C: rows in memory, by category") { baseline in
                categories.map { baseline.items(category: $0) }
            }
    }
}
