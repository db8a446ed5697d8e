import BenchmarkKit
import Cairn
import GRDB

/// Sorting with a limit.
struct SortAndLimit: Workload {
    let name = "sort-limit"
    let title = "the 100 highest of all, as objects"
    let about = About(
        goal: "SQLite ≤ 1.3 of the same query",
        heldFixed: "all items by price, the highest first, ties by key; no index on price",
        varied: "C prepares and steps; Cairn makes objects; GRDB structs")

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let size = setting.size
        let baseline =
            try setting.sqlite("C: ORDER BY, LIMIT", operations: size) {
                try $0.items("ORDER BY ZPRICE DESC, Z_PK LIMIT 100")
            } + setting.asking("keep the highest", .highestPrices, operations: size)
        let ours = try setting.ours(goal: setting.goal(.ratio(1.3))) { context in
            var request = FetchRequest<Item>()
            request.sortDescriptors = [FetchSortDescriptor("price", ascending: false)]
            request.fetchLimit = 100
            var watch = Stopwatch()
            let items: [Item] = try watch.time { try context.fetch(request) }
            var sample = Sample(watch, rows: items)
            sample.operations = size
            return sample
        }
        var peer = try setting.grdb("GRDB, order, limit") { database in
            try HandWrittenItem.select(sql: HandWrittenItem.columns)
                .order(Column("price").desc, Column("id")).limit(100).fetchAll(database)
        }
        for index in peer.indices {
            let run = peer[index].run
            peer[index].run = {
                var sample = try run()
                sample.operations = size
                return sample
            }
        }
        return .contests([Contest(unit: "row looked at", baseline + [ours] + peer)])
    }
}
