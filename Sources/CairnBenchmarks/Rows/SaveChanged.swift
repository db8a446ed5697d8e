import Cairn

/// A small save of a stored object, beside row M.
struct SaveChanged: Workload {
    let name = "save-changed"
    let title = "change one object and save"
    let about = About(
        goal: "SQLite ≤ 1.15, LMDB ≤ 1.25 of a transaction that updates one row",
        heldFixed: """
            200 changes of the price and the title of one item, a save for each (3 in engines that \
            write a whole file); each save is synced; what the file holds afterwards is read back \
            and compared
            """,
        varied: """
            C updates the row, whose version is checked, under the lock file; Cairn sets two values, \
            validates and saves; GRDB updates three columns of a record in a write
            """,
        rest: "as for a new object, without its key and the other end of its to-one")

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let count = setting.saveCount(200)
        let edit = Edit(setting, count: 1)
        let ours = Contender("Cairn", .ours, goal: setting.ratioGoal(1.15, lmdb: 1.25)) {
            try setting.changing(.items) { stack in
                try stack.inContext { context in
                    try edit.items(in: context)[0].change(count, in: context)
                }
            }
        }
        return .contests([
            Contest(unit: "save", durability: setting.engine.durability, [ours])
        ])
    }
}

extension Item {
    /// Changes the price and the title many times, with a save for each.
    func change(_ count: Int, in context: ManagedObjectContext) throws -> Sample {
        var watch = Stopwatch()
        for step in 0..<count {
            try watch.time {
                price = Double(step) + 0.125
                title = "title \(step)"
                try context.save()
            }
        }
        return Sample(watch, operations: count, checksum: 0)
    }
}
