import BenchmarkKit
import Cairn
import Foundation
import GRDB

/// Row M.
struct SaveOne: Workload {
    let name = "M"
    let title = "save one new object"
    let about = About(
        goal: "SQLite ≤ 1.3 of a transaction that inserts one row",
        heldFixed: """
            200 items, a save for each, into a store of all items; each save is synced; what the \
            file holds afterwards is read back and compared
            """,
        varied: """
            C runs begin, insert, note of the key, commit, under the lock file; Cairn makes an \
            object, sets its values, validates and saves; GRDB inserts a record in a write
            """)

    private static let count = 200

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine.isFile else { return .notApplicable }
        let url = try setting.items()
        let (engine, shelf, size) = (setting.engine, setting.shelf, setting.size)
        // Whole-file engines write everything each time: fewer saves tell as much.
        let count = [.xml, .binary].contains(engine) ? 3 : Self.count
        let values = (0..<count).map { index in
            var item = ItemValues.item(at: size + index, of: size)
            item.category = 0
            return item
        }
        var contenders = [
            Contender("Cairn", .ours, goal: engine == .sqlite ? .ratio(1.3) : nil) {
                try Self.save(values, engine, copy: try shelf.fresh(copying: url), shelf)
            }
        ]
        if engine == .sqlite {
            contenders.insert(Self.baseline(values, url, shelf), at: 0)
            contenders.append(Self.peer(values, try shelf.grdbItems(size: size), shelf))
        }
        return .contests([Contest(unit: "save", durability: engine.durability, contenders)])
    }

    private static func save(
        _ values: [ItemValues], _ engine: StoreType, copy: URL, _ shelf: StoreShelf
    ) throws -> Sample {
        defer { shelf.discard(copy) }
        let stack = try Stack(engine, at: copy)
        var sample = try stack.inContext { context in
            let folders: [Folder] = try context.fetch(FetchRequest<Folder>())
            var watch = Stopwatch()
            for value in values {
                try watch.time {
                    try context.insert(Item.self).setAll(value, folder: folders[0])
                    try context.save()
                }
            }
            return Sample(watch, operations: values.count, checksum: 0)
        }
        try stack.close()
        sample.checksum = try Proof.checksum(of: copy, engine)
        return sample
    }

    private static func baseline(
        _ values: [ItemValues], _ url: URL, _ shelf: StoreShelf
    ) -> Contender {
        let arena = ItemArena(values, folder: 1)
        return Contender("C: one-row transaction", .baseline) {
            let copy = try shelf.fresh(copying: url)
            defer { shelf.discard(copy) }
            var watch = Stopwatch()
            do {
                let baseline = try SQLiteBaseline(copy, writable: true)
                for index in arena.items.indices {
                    let item = UnsafeBufferPointer(rebasing: arena.items[index...index])
                    try watch.time { try baseline.insert(item) }
                }
            }
            return Sample(
                watch, operations: values.count, checksum: try SQLiteBaseline.prove(copy))
        }
    }

    private static func peer(
        _ values: [ItemValues], _ url: URL, _ shelf: StoreShelf
    ) -> Contender {
        Contender("GRDB, insert a record", .peer) {
            let copy = try shelf.fresh(copying: url)
            defer { shelf.discard(copy) }
            let peer = try GRDBPeer(copy)
            var watch = Stopwatch()
            for value in values {
                let item = HandWrittenItem(id: nil, folder: 1, values: value)
                try watch.time { try peer.pool.write { try item.insert($0) } }
            }
            try peer.pool.close()
            return Sample(
                watch, operations: values.count,
                checksum: try SQLiteBaseline.prove(copy, GRDBPeer.proof))
        }
    }
}
