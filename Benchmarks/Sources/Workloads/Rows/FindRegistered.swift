import Baselines
import BenchmarkRows
import Cairn

/// Row I.
struct FindRegistered: Workload {
    let name = "I"
    let title = "find an object by its ID"
    let about = About(
        goal: "≤ 25 ns for a registered object, ≤ 250 ns for a fault whose row is cached",
        heldFixed: "all items registered and held; IDs that jump about",
        varied: """
            C looks keys up in an open-addressing table, which holds the attribute's values where \
            they are read; Cairn asks the context; the cached row is asked for by reading an \
            attribute of a fault, so making it whole is in the time
            """,
        rest: """
            860 instructions for a cached row: 290 for the object, 240 for lock and table, 80 for \
            the store. The time is cache misses in random order
            """)

    /// Few enough for the row cache to keep all of them.
    private static let cachedCount = 20_000

    func plan(in setting: Setting) throws -> WorkloadPlan {
        let places = setting.someIndices(setting.size)
        let registered = try setting.ours(goal: .nanoseconds(25)) { context in
            let items = try context.allItems()
            let ids = places.map { items[$0].objectID }
            var watch = Stopwatch()
            var sum: UInt64 = 0
            withExtendedLifetime(items) {
                watch.time {
                    for id in ids {
                        guard let item = context.registeredObject(for: id) else { continue }
                        sum = sum &* 3 &+ UInt64(bitPattern: item.objectID.key)
                    }
                }
            }
            return Sample(watch, operations: ids.count, checksum: sum)
        }
        return .contests([
            Contest(
                part: "registered object", unit: "lookup",
                [Self.baseline(places) { Int64($0) + 1 }, registered]),
            Contest(part: "cached row", unit: "fault", try Self.cached(setting)),
        ])
    }

    /// Returns a baseline in which C looks up a value of each of the items at these indices.
    private static func baseline(
        _ places: [Int], value: (_ index: Int) -> Int64
    ) -> Contender {
        let capacity = (places.count * 2).nextPowerOfTwo
        var table = [Int64](repeating: 0, count: capacity * 2)
        let keys = places.map { Int64($0) + 1 }
        for place in places { bl_table_put(&table, capacity, Int64(place) + 1, value(place)) }
        return Contender("C: open addressing", .baseline) { [table] in
            var watch = Stopwatch()
            let sum = watch.time { bl_table_lookups(table, capacity, keys, Int64(keys.count)) }
            return Sample(watch, operations: keys.count, checksum: sum)
        }
    }

    private static func cached(_ setting: Setting) throws -> [Contender] {
        let places = setting.someIndices(cachedCount)
        let numbers = setting.shelf.values(setting.size).map(\.number)
        return [baseline(places) { numbers[$0] }, try cached(setting, at: places)]
    }

    private static func cached(_ setting: Setting, at places: [Int]) throws -> Contender {
        let coldItems = try ColdItems(setting)
        return Contender("Cairn", .ours, goal: .nanoseconds(250)) {
            try coldItems.run { stack in
                // Another context reads the rows, which fills the coordinator's cache.
                try stack.inContext { context in
                    let ids = try context.fetchIDs(FetchRequest<Item>())
                    try context.fireFaults(of: try places.map { try context.object(with: ids[$0]) })
                }
                return try stack.inContext { context in
                    let ids = try context.fetchIDs(FetchRequest<Item>())
                    let faults = try places.compactMap {
                        try context.object(with: ids[$0]) as? Item
                    }
                    var watch = Stopwatch()
                    var sum: UInt64 = 0
                    watch.time {
                        for fault in faults {
                            sum = sum &* 3 &+ UInt64(bitPattern: fault.number)
                        }
                    }
                    return Sample(watch, operations: faults.count, checksum: sum)
                }
            }
        }
    }
}

extension Int {
    fileprivate var nextPowerOfTwo: Int {
        var power = 1
        while power < self { power *= 2 }
        return power
    }
}
