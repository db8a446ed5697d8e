import Cairn

/// Dictionaries instead of objects.
struct Dictionaries: Workload {
    let name = "dictionaries"
    let title = "fetch three values of all objects, as dictionaries"
    let about = About(
        goal: "SQLite and LMDB ≤ 1.3, InMemory ≤ 3 of C",
        heldFixed: "the titles, numbers and prices of all items, in the order of their keys",
        varied: """
            C steps over three columns; Cairn answers with dictionaries, or with objects of which the \
            values are read
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let goal = setting.ratioGoal(1.3, lmdb: 1.3, inMemory: 3)
        let dictionaries = try setting.ours("Cairn, dictionaries", goal: goal) { context in
            var request = FetchRequest<Item>()
            request.propertiesToFetch = ["title", "number", "price"]
            var watch = Stopwatch()
            let rows = try watch.time { try context.fetchDictionaries(request) }
            let digests = rows.lazy.map { row -> UInt64 in
                guard case .string(let title)? = row["title"],
                    case .integer(let number)? = row["number"],
                    case .double(let price)? = row["price"]
                else { return 0 }
                return ItemValues.columnsDigest(title: title, number: number, price: price)
            }
            return Sample(watch, operations: rows.count, checksum: RowChecksum(digests).value)
        }
        let objects = try setting.ours("Cairn, objects") { context in
            var watch = Stopwatch()
            let rows = try watch.time {
                try context.allItems().map { ($0.title, $0.number, $0.price) }
            }
            let digests = rows.lazy.map {
                ItemValues.columnsDigest(title: $0, number: $1, price: $2)
            }
            return Sample(watch, operations: rows.count, checksum: RowChecksum(digests).value)
        }
        return .contests([Contest(unit: "row", [dictionaries, objects])])
    }
}
