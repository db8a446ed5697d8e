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

/// Reading the changes of a history, a page at a time.
struct ReadHistory: Workload {
    let name = "history-read"
    let title = "read the changes of a history"
    let about = About(
        goal: "100,000 changes per second, and memory that does not grow with the history",
        heldFixed: """
            as many insertions as the row's size, 100 in each save (a tenth of them in engines that write a \
            whole file); 100 transactions are read at a time, and the kinds and keys of all changes
            """,
        varied: "the engine",
        rest: "engines that write a whole file have the history in memory")

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine.isDurable else {
            return .notApplicable(because: "a history in memory is an array")
        }
        let url = try setting.shelf.template(
            "history-\(setting.engine.rawValue)-\(setting.size)", of: setting.engine
        ) { url in
            let stack = try setting.shelf.open(
                setting.engine, at: url, options: [.tracksHistory: true])
            let saveCount = setting.isWholeFile ? 10 : max(1, setting.size / 100)
            try stack.inContext { context in
                for index in 0..<saveCount {
                    for item in 0..<setting.size / saveCount {
                        try context.insert(Item.self).setAttributes(
                            ItemValues.item(at: index + item, of: setting.size))
                    }
                    try context.save()
                    context.reset()
                }
            }
            try stack.close()
        }
        let reading = Contender("Cairn", .ours, goal: .nanoseconds(10_000)) {
            try read(url, setting)
        }
        let holding = Contender("Cairn", .ours, goal: .bytes(20)) { try read(url, setting) }
        return .contests([
            Contest(part: "time", unit: "change", [reading]),
            Contest(part: "memory at the peak", unit: "change", [holding]),
        ])
    }

    private func read(_ url: URL, _ setting: Setting) throws -> Sample {
        let stack = try setting.shelf.open(setting.engine, at: url)
        defer { try? stack.close() }
        var watch = Stopwatch()
        var (count, keys, token) = (0, UInt64(0), PersistentHistoryToken?.none)
        let before = Heap.byteCount
        var peak = before
        try watch.time {
            while true {
                let page = try stack.coordinator.history(after: token, limit: 100)
                guard let last = page.last else { break }
                for change in page.lazy.flatMap(\.changes) where change.changeType == .insert {
                    keys &+= UInt64(bitPattern: change.changedObjectID.key)
                    count += 1
                }
                token = last.token
                peak = max(peak, Heap.byteCount)
            }
        }
        return Sample(
            watch, operations: count, checksum: keys,
            bytesPerObject: Double(peak - before) / Double(max(1, count)))
    }
}
