import Cairn
import Foundation

/// Row L.
struct UpdateAndSave: Workload {
    let name = "L"
    let title = "change 10,000 objects and save"
    let about = About(
        goal: "SQLite ≤ 1.1, LMDB ≤ 1.5 of an update for each row",
        heldFixed: """
            price and title of 10,000 items spread over the store, which were read before; the \
            version is checked and raised; one transaction; what the file holds afterwards is read \
            back and compared
            """,
        varied: """
            C binds and steps, or packs and writes the file; Cairn sets values, validates and \
            saves; GRDB updates records
            """,
        rest: """
            of 20,000 instructions an object, 9,000 step, 2,600 set two values, 2,000 pack, 1,500 \
            are the engine around the statement, 1,000 adopt
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let edit = Edit(setting)
        let ours = Contender("Cairn", .ours, goal: setting.ratioGoal(1.1, lmdb: 1.5)) {
            try setting.changing(.items) { stack in
                try stack.inContext { context in
                    let items = try edit.items(in: context)
                    var watch = Stopwatch()
                    try watch.time {
                        edit.apply(to: items)
                        try context.save()
                    }
                    return Sample(watch, operations: items.count, checksum: 0)
                }
            }
        }
        return .contests([
            Contest(
                unit: "object", durability: setting.engine.durability, [ours])
        ])
    }
}

/// A new price and title for each of many items.
package struct Edit: Sendable {
    /// The indices of the items in the order of keys.
    package let indices: [Int]
    package let prices: [Double]
    package let titles: [String]

    /// Creates edits of 10,000 items that are spread over the store, or of all items in a smaller store.
    package init(_ setting: Setting, count: Int = 10_000) {
        let step = max(1, setting.size / count)
        indices = (0..<min(setting.size, count)).map { $0 * step }
        prices = indices.map { Double($0) * 0.5 + 0.25 }
        titles = indices.map { "another title of item \($0)" }
    }

    /// The keys of the items in a SQLite store.
    package var keys: [Int64] { indices.map { Int64($0) + 1 } }

    /// Returns the items as realized objects.
    ///
    /// - Throws: `GraphError`.
    package func items(in context: ManagedObjectContext) throws -> [Item] {
        let all: FetchResults<Item> = try context.fetch(FetchRequest<Item>())
        return indices.map { all[$0] }
    }

    /// Sets the values of the items.
    package func apply(to items: [Item]) {
        for (index, item) in items.enumerated() {
            item.price = prices[index]
            item.title = titles[index]
        }
    }
}
