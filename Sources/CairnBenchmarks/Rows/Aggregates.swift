import Cairn

/// Grouped sums.
struct Aggregates: Workload {
    let name = "aggregates"
    let title = "sums grouped by a value, for each row looked at"
    let about = About(
        goal: "SQLite ≤ 1.1, LMDB ≤ 1.5, InMemory ≤ 3 of C",
        heldFixed: "the sum of the numbers of each category, in the order of the categories",
        varied: "C steps over the groups; Cairn answers with dictionaries")

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let size = setting.size
        let goal = setting.ratioGoal(1.1, lmdb: 1.5, inMemory: 3)
        let ours = try setting.ours(goal: goal) { context in
            var request = FetchRequest<Item>()
            request.propertiesToFetch = [
                .expression(try ExpressionDescription("total", format: "sum(number)"))
            ]
            request.propertiesToGroupBy = ["category"]
            var watch = Stopwatch()
            let groups = try watch.time { try context.fetchDictionaries(request) }
            let totals = groups.map { group -> Int64 in
                switch group["total"] {
                case .integer(let total)?: total
                case .double(let total)?: Int64(total)
                default: 0
                }
            }
            return Sample(watch, operations: size, checksum: RowChecksum(keys: totals).value)
        }
        return .contests([Contest(unit: "row looked at", [ours])])
    }
}
