import BenchmarkKit
import Cairn
import Foundation

/// Row B.
struct FetchLazily: Workload {
    let name = "B"
    let title = "fetch all, objects made when they are touched"
    let about = About(
        goal: "SQLite ≤ 0.85 of stepping over the rows and reading all columns",
        heldFixed: """
            all items in the order of their keys, from a warm page cache; freeing is not timed
            """,
        varied: """
            C reads columns and keeps nothing; Cairn has every row's values and makes no object
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let url = try setting.items()
        let stack = try Stack(setting.engine, at: url)
        var contenders = [
            Contender("Cairn", .ours, goal: setting.engine == .sqlite ? .ratio(0.85) : nil) {
                try stack.inContext { try Self.fetchRows(in: $0) }
            }
        ]
        if setting.engine == .sqlite { contenders.insert(try SQLiteScan.contender(url), at: 0) }
        return .contests([Contest(unit: "row", contenders)])
    }

    private static func fetchRows(in context: ManagedObjectContext) throws -> Sample {
        var watch = Stopwatch()
        let results: FetchResults<Item> = try watch.time {
            try context.fetch(FetchRequest<Item>())
        }
        return Sample(
            watch, operations: results.count, checksum: Checksum(results.lazy.map(\.digest)).value)
    }
}
