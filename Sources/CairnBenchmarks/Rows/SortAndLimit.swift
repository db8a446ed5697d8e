import Cairn

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
        return .contests([Contest(unit: "row looked at", [ours])])
    }
}
