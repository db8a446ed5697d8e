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
            SQLite: 211,000 instructions, C 78,600; SQLite takes 67,000, counting references 29,000, \
            memory 20,000, types that Swift makes at run time 8,000, and ninety steps the rest. Eight \
            system calls check that the file is still the one that was opened, which GRDB leaves out
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let values = setting.newItems(setting.saveCount(200))
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
                [ours])
        ])
    }
}
