import BenchmarkKit
import Cairn
import Foundation
import GRDB

/// Row L.
struct UpdateAndSave: Workload {
    let name = "L"
    let title = "change 10,000 objects and save"
    let about = About(
        goal: "SQLite ≤ 1.1 of a prepared update for each row",
        heldFixed: """
            price and title of 10,000 items spread over the store, which were read before; the \
            version is checked and raised; one transaction; what the file holds afterwards is read \
            back and compared
            """,
        varied: "C binds and steps; Cairn sets values, validates and saves; GRDB updates records")

    private static let count = 10_000

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine.isFile else { return .notApplicable }
        let url = try setting.items()
        let change = Change(setting)
        let (engine, shelf) = (setting.engine, setting.shelf)
        var contenders = [
            Contender("Cairn", .ours, goal: engine == .sqlite ? .ratio(1.1) : nil) {
                try Self.save(change, engine, copy: try shelf.fresh(copying: url), shelf)
            }
        ]
        if engine == .sqlite {
            contenders.insert(Self.baseline(change, url, shelf), at: 0)
            contenders.append(
                Self.peer(change, try shelf.grdbItems(size: setting.size), shelf))
        }
        return .contests([Contest(unit: "object", durability: engine.durability, contenders)])
    }

    /// What is set on which items.
    private struct Change: Sendable {
        let keys: [Int64]
        let prices: [Double]
        let titles: [String]

        init(_ setting: Setting) {
            let step = Int64(max(1, setting.size / UpdateAndSave.count))
            keys = (0..<Int64(min(setting.size, UpdateAndSave.count))).map { $0 * step + 1 }
            prices = keys.map { Double($0) * 0.5 }
            titles = keys.map { "another title of item \($0)" }
        }
    }

    private static func save(
        _ change: Change, _ engine: StoreType, copy: URL, _ shelf: StoreShelf
    ) throws -> Sample {
        defer { shelf.discard(copy) }
        let stack = try Stack(engine, at: copy)
        var sample = try stack.inContext { context in
            let all: FetchResults<Item> = try context.fetch(FetchRequest<Item>())
            let items = change.keys.map { all[Int($0) - 1] }
            var watch = Stopwatch()
            try watch.time {
                for (index, item) in items.enumerated() {
                    try item.set(.double(change.prices[index]), at: Item.Slot.price)
                    try item.set(.string(change.titles[index]), at: Item.Slot.title)
                }
                try context.save()
            }
            return Sample(watch, operations: items.count, checksum: 0)
        }
        try stack.close()
        sample.checksum = try Proof.checksum(of: copy, engine)
        return sample
    }

    private static func baseline(_ change: Change, _ url: URL, _ shelf: StoreShelf) -> Contender {
        Contender("C: prepared update", .baseline) {
            let copy = try shelf.fresh(copying: url)
            defer { shelf.discard(copy) }
            let titles = change.titles.map { UnsafePointer(strdup($0)) }
            defer { for title in titles { free(UnsafeMutableRawPointer(mutating: title)) } }
            var watch = Stopwatch()
            do {
                let baseline = try SQLiteBaseline(copy, writable: true)
                // As warm as the others, who have read the items.
                _ = try baseline.scan()
                try watch.time {
                    try baseline.update(
                        change.keys, prices: change.prices, titles: titles, version: 1)
                }
            }
            return Sample(
                watch, operations: change.keys.count, checksum: try SQLiteBaseline.prove(copy))
        }
    }

    private static func peer(_ change: Change, _ url: URL, _ shelf: StoreShelf) -> Contender {
        Contender("GRDB, update records", .peer) {
            let copy = try shelf.fresh(copying: url)
            defer { shelf.discard(copy) }
            let peer = try GRDBPeer(copy)
            let all = try peer.pool.read { database in
                try HandWrittenItem.fetchAll(
                    database, sql: "SELECT \(HandWrittenItem.columns) FROM item ORDER BY id")
            }
            var watch = Stopwatch()
            try watch.time {
                try peer.pool.write { database in
                    for (index, key) in change.keys.enumerated() {
                        var item = all[Int(key) - 1]
                        item.values.price = change.prices[index]
                        item.values.title = change.titles[index]
                        item.version += 1
                        try item.update(database, columns: ["price", "title", "version"])
                    }
                }
            }
            try peer.pool.close()
            return Sample(
                watch, operations: change.keys.count,
                checksum: try SQLiteBaseline.prove(copy, GRDBPeer.proof))
        }
    }
}
