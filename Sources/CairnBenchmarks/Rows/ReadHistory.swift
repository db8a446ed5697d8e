import Cairn
import Foundation

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
            let size = setting.size
            let saveCount = setting.isWholeFile ? 10 : max(1, size / 100)
            try stack.inContext { context in
                for index in 0..<saveCount {
                    for item in 0..<size / saveCount {
                        try context.insert(Item.self).setAttributes(
                            ItemValues.item(at: index + item, of: size))
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
