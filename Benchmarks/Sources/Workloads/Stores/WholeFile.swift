import BenchmarkRows
import Cairn

/// The work of Cairn in the rows for engines that read and write whole files.
enum WholeFile {
    /// Returns a contender that opens the store with all items and returns all rows.
    static func loading(_ setting: Setting, goal: Goal) throws -> Contender {
        let url = try setting.itemsURL()
        return Contender("Cairn", .ours, goal: goal) {
            var watch = Stopwatch()
            let stack = try watch.time { try MeasuredStack(setting.engine, at: url) }
            let opened = watch
            let sample = try stack.inContext { context in
                var watch = opened
                let results: FetchResults<Item> = try watch.time {
                    try context.fetch(FetchRequest<Item>())
                }
                return Sample(watch, rows: results)
            }
            try stack.close()
            return sample
        }
    }

    /// Returns a contender that changes one item and saves, which writes the whole file.
    ///
    /// - Parameter edit: The change, which is timed together with the save.
    static func saving(
        _ setting: Setting, goal: Goal, _ edit: @escaping @Sendable (Item) throws -> Void
    ) -> Contender {
        let size = setting.size
        return Contender("Cairn", .ours, goal: goal) {
            try setting.changing(.items) { stack in
                try stack.inContext { context in
                    let items: FetchResults<Item> = try context.fetch(FetchRequest<Item>())
                    let first = items[0]
                    var watch = Stopwatch()
                    try watch.time {
                        try edit(first)
                        try context.save()
                    }
                    return Sample(watch, operations: size, checksum: 0)
                }
            }
        }
    }
}
