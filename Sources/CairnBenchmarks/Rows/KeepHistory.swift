import Cairn
import Foundation

/// Saving with a history, compared with saving without one.
struct KeepHistory: Workload {
    let name = "history"
    let title = "save objects in a store that keeps a history"
    let about = About(
        goal: """
            of saving without a history: LMDB ≤ 1.15 for one object and 1.25 in bulk, SQLite ≤ 1.5 and \
            1.7 of the processor time, engines that write a whole file ≤ 1.05
            """,
        heldFixed: """
            one object: 200 items, a save for each (3 in engines that write a whole file), into a store of \
            all items; in bulk: all items in one save; each save is synced
            """,
        varied: "the store keeps no history; it keeps one, which has begun before",
        rest: """
            SQLite writes rows in two of Core Data's tables and entries in their indexes; LMDB one entry for \
            2,000 changes; the others append to a log and sync it
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine.isDurable else {
            return .notApplicable(because: "a history in memory is an array")
        }
        let values = setting.newItems(setting.saveCount(200))
        let one = contest("save one", "save", setting, .items, [1.5, 1.15]) { stack in
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
        let all = setting.shelf.values(setting.size)
        let bulk = contest("in bulk", "object", setting, .folders, [1.7, 1.25]) { stack in
            try stack.inContext { try $0.create(all) }
        }
        return .contests([one, bulk])
    }

    /// - Parameter limits: The goals of SQLite and LMDB.
    private func contest(
        _ part: String, _ unit: String, _ setting: Setting, _ contents: StoreTemplates.Contents,
        _ limits: [Double], _ body: @escaping (MeasuredStack) throws -> Sample
    ) -> Contest {
        let limit = setting.isSQLite ? limits[0] : setting.engine == .lmdb ? limits[1] : 1.05
        func contender(
            _ name: String, _ role: Contender.Role, _ goal: Goal?, _ options: StoreOptions
        ) -> Contender {
            Contender(name, role, goal: goal) {
                try setting.changing(contents, options: options, body)
            }
        }
        return Contest(
            part: part, unit: unit, durability: setting.engine.durability,
            [
                contender("Cairn, no history", .baseline, nil, [:]),
                contender("Cairn, history", .ours, .ratio(limit), [.tracksHistory: true]),
            ])
    }
}
