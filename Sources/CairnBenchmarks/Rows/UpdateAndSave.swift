import BenchmarkKit
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
                unit: "object", durability: setting.engine.durability,
                Self.baseline(setting, edit) + [ours] + Self.peer(setting, edit))
        ])
    }

    private static func baseline(_ setting: Setting, _ edit: Edit) -> [Contender] {
        setting.library("update each", changing: .items) { baseline in
            try baseline.warm()
            var watch = Stopwatch()
            try edit.withCTitles { titles in
                try watch.time {
                    try baseline.update(
                        edit.keys, prices: edit.prices, titles: titles, version: 1)
                }
            }
            return Sample(watch, operations: edit.places.count, checksum: 0)
        }
    }

    private static func peer(_ setting: Setting, _ edit: Edit) -> [Contender] {
        guard setting.isSQLite else { return [] }
        return [
            Contender("GRDB, update records", .peer) {
                try setting.changingGRDB(.items) { peer in
                    let all = try peer.allItems()
                    var watch = Stopwatch()
                    try watch.time {
                        try peer.pool.write { database in
                            for (index, place) in edit.places.enumerated() {
                                var item = all[place]
                                item.values.price = edit.prices[index]
                                item.values.title = edit.titles[index]
                                item.version += 1
                                try item.update(database, columns: ["price", "title", "version"])
                            }
                        }
                    }
                    return Sample(watch, operations: edit.places.count, checksum: 0)
                }
            }
        ]
    }
}

/// A new price and title for each of many items.
struct Edit: Sendable {
    /// The indices of the items in the order of keys.
    let places: [Int]
    let prices: [Double]
    let titles: [String]

    /// Creates edits of 10,000 items that are spread over the store, or of all items in a smaller store.
    init(_ setting: Setting, count: Int = 10_000) {
        let step = max(1, setting.size / count)
        places = (0..<min(setting.size, count)).map { $0 * step }
        prices = places.map { Double($0) * 0.5 + 0.25 }
        titles = places.map { "another title of item \($0)" }
    }

    /// The keys of the items in a SQLite store.
    var keys: [Int64] { places.map { Int64($0) + 1 } }

    /// Returns the items as realized objects.
    ///
    /// - Throws: `GraphError`.
    func items(in context: ManagedObjectContext) throws -> [Item] {
        let all: FetchResults<Item> = try context.fetch(FetchRequest<Item>())
        return places.map { all[$0] }
    }

    /// Sets the values of the items.
    func apply(to items: [Item]) {
        for (index, item) in items.enumerated() {
            item.price = prices[index]
            item.title = titles[index]
        }
    }

    /// Passes the titles as C strings to the body.
    func withCTitles<Result>(
        _ body: ([UnsafePointer<CChar>?]) throws -> Result
    ) rethrows -> Result {
        let copies = titles.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return try body(copies.map { UnsafePointer($0) })
    }
}
