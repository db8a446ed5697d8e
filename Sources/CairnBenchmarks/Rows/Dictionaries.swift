import Cairn

/// Dictionaries instead of objects.
struct Dictionaries: Workload {
    let name = "dictionaries"
    let title = "fetch one value of all objects, as dictionaries"
    let about = About(
        goal: "looked at, not set",
        heldFixed: "the titles of all items, in the order of their keys",
        varied: """
            C steps over one column; Cairn answers with dictionaries, or with objects of which the \
            title is read
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let dictionaries = try setting.ours("Cairn, dictionaries") { context in
            var request = FetchRequest<Item>()
            request.propertiesToFetch = ["title"]
            var watch = Stopwatch()
            let rows = try watch.time { try context.fetchDictionaries(request) }
            let titles = rows.lazy.map { row -> UInt64 in
                if case .string(let title)? = row["title"] { ItemValues.digest(title) } else { 0 }
            }
            return Sample(watch, operations: rows.count, checksum: RowChecksum(titles).value)
        }
        let objects = try setting.ours("Cairn, objects") { context in
            var watch = Stopwatch()
            let titles = try watch.time { try context.allItems().map(\.title) }
            return Sample(
                watch, operations: titles.count,
                checksum: RowChecksum(titles.lazy.map(ItemValues.digest)).value)
        }
        return .contests([Contest(unit: "row", [dictionaries, objects])])
    }
}
