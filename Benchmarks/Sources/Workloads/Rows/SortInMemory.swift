import BenchmarkRows
import Cairn
import Foundation

/// Row T.
struct SortInMemory: Workload {
    let name = "T"
    let title = "in-memory sort of all objects"
    let about = About(
        goal: "≤ 1.2 of sorting pairs of key and index",
        heldFixed: "all items by price, ties by key; the answer is their keys in order",
        varied: """
            pairs of a double read from the packed row and an index; Cairn fetches sorted IDs; a \
            closure and a KeyPathComparator sort plain objects
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine == .inMemory else {
            return .notApplicable(
                because: "the row is about sorting in memory; another row sorts in every engine")
        }
        let size = setting.size
        let file = try BinaryBaseline(
            reading: try setting.shelf.store(.binary, .items, size: size))
        let baseline = Contender("pairs of key and index", .baseline) {
            var watch = Stopwatch()
            let pairs = watch.time { Self.sortedPairs(file.prices(size)) }
            return Self.sample(watch, pairs.map { Int64($0.index) + 1 })
        }
        let ours = try setting.ours(goal: .ratio(1.2)) { context in
            var request = FetchRequest<Item>()
            request.sortDescriptors = [FetchSortDescriptor("price")]
            var watch = Stopwatch()
            let ids = try watch.time { try context.fetchIDs(request) }
            return Self.sample(watch, ids.map(\.key))
        }
        return .contests([Contest(unit: "row", [baseline, ours] + Self.others(setting))])
    }

    private struct Pair {
        var price: Double
        var index: Int32
    }

    private static func sortedPairs(_ prices: [Double]) -> [Pair] {
        var pairs = prices.enumerated().map { Pair(price: $1, index: Int32($0)) }
        pairs.sort { $0.price != $1.price ? $0.price < $1.price : $0.index < $1.index }
        return pairs
    }

    private static func others(_ setting: Setting) -> [Contender] {
        let plain = PlainItem.all(setting.shelf.values(setting.size))
        return [
            Contender("closure over plain objects", .control) {
                var watch = Stopwatch()
                let sorted = watch.time {
                    plain.sorted { $0.price != $1.price ? $0.price < $1.price : $0.key < $1.key }
                }
                return sample(watch, sorted.map(\.key))
            },
            Contender("KeyPathComparator", .peer) {
                var watch = Stopwatch()
                let order = [KeyPathComparator(\PlainItem.price), KeyPathComparator(\.key)]
                let sorted = watch.time { plain.sorted(using: order) }
                return sample(watch, sorted.map(\.key))
            },
        ]
    }

    private static func sample(_ watch: Stopwatch, _ keys: [Int64]) -> Sample {
        Sample(watch, operations: keys.count, checksum: RowChecksum(keys: keys).value)
    }
}
