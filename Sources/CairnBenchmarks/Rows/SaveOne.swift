import Baselines
import BenchmarkKit
import Cairn
import Foundation

/// Row M.
struct SaveOne: Workload {
    let name = "M"
    let title = "save one new object"
    let about = About(
        goal: "SQLite ≤ 1.05, LMDB ≤ 1.2 of a transaction that inserts one row",
        heldFixed: """
            200 items, a save for each (3 in engines that write a whole file), into a store of all \
            items; each save is synced; what the file holds afterwards is read back and compared
            """,
        varied: """
            C runs begin, insert, note of the key, commit, under the lock file; Cairn makes an \
            object, sets its values, validates and saves; GRDB inserts a record in a write
            """,
        rest: """
            SQLite: 178,000 instructions, C 78,600; SQLite takes 71,000, and ninety steps about \
            1,000 each. A dozen system calls check that the file is still the one that was opened, \
            which GRDB leaves out
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let values = setting.newItems(setting.isWholeFile ? 3 : 200)
        let ours = Contender("Cairn", .ours, goal: setting.ratioGoal(1.05, lmdb: 1.2)) {
            try setting.changing(.items) { stack in
                try stack.inContext { context in
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
            }
        }
        return .contests([
            Contest(
                unit: "save", durability: setting.engine.durability, headline: .save,
                setting.oneRowInserts(values, into: .items) + [ours]
                    + Self.peer(setting, values))
        ])
    }

    private static func peer(_ setting: Setting, _ values: [ItemValues]) -> [Contender] {
        guard setting.isSQLite else { return [] }
        return [
            Contender("GRDB, insert a record", .peer) {
                try setting.changingGRDB(.items) { peer in
                    var watch = Stopwatch()
                    for value in values {
                        let item = HandWrittenItem(id: nil, folder: 1, values: value)
                        try watch.time { try peer.pool.write { try item.insert($0) } }
                    }
                    return Sample(watch, operations: values.count, checksum: 0)
                }
            }
        ]
    }
}

extension Setting {
    /// Returns values of items that are not yet in the store.
    func newItems(_ count: Int) -> [ItemValues] {
        (0..<count).map { index in
            var item = ItemValues.item(at: size + index, of: size)
            item.category = 0
            return item
        }
    }

    /// Returns a baseline that inserts items into the first folder, each in a separate transaction.
    func oneRowInserts(_ values: [ItemValues], into contents: StoreTemplates.Contents)
        -> [Contender]
    {
        let arena = ItemArena(values, folder: 1)
        return library("one-row transaction", changing: contents) {
            try arena.insertOneByOne($0.insert)
        }
    }
}

extension ItemArena {
    /// Measures the separate insertion of each item.
    fileprivate func insertOneByOne(
        _ insert: (UnsafeBufferPointer<bl_item>) throws -> Void
    ) throws -> Sample {
        var watch = Stopwatch()
        for index in items.indices {
            let item = UnsafeBufferPointer(rebasing: items[index...index])
            try watch.time { try insert(item) }
        }
        return Sample(watch, operations: items.count, checksum: 0)
    }
}
