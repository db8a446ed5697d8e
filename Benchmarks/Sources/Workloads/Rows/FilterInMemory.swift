import BenchmarkRows
import Cairn
import Foundation

/// Row S.
struct FilterInMemory: Workload {
    let name = "S"
    let title = "in-memory predicate, for each row"
    let about = About(
        goal: "≤ 2 of a loop over packed rows",
        heldFixed: "price > p AND rating < r, on no index; how many of all items match",
        varied: """
            C reads two doubles of each packed row; Cairn counts with a predicate given as text; \
            Foundation's #Predicate and a closure look at plain objects
            """)

    private static let price = 5_000.0
    private static let rating = 0.5

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine == .inMemory else {
            return .notApplicable(
                because:
                    "the row is about predicates in memory; other rows ask every engine")
        }
        let size = setting.size
        let file = try BinaryBaseline(
            reading: try setting.shelf.store(.binary, .items, size: size))
        let baseline = Contender("C: loop over packed rows", .baseline) {
            Self.sample(size) { Int(file.count(priceAbove: Self.price, ratingBelow: Self.rating)) }
        }
        let ours = try setting.ours(goal: .ratio(2)) { context in
            try Self.sample(size) {
                try context.count(
                    for: FetchRequest<Item>(
                        "Item", where: "price > %@ AND rating < %@", Self.price, Self.rating))
            }
        }
        return .contests([
            Contest(unit: "row", [baseline, ours] + Self.others(setting))
        ])
    }

    private static func others(_ setting: Setting) -> [Contender] {
        let plain = PlainItem.all(setting.shelf.values(setting.size))
        let (price, rating) = (Self.price, Self.rating)
        let predicate = #Predicate<PlainItem> { $0.price > price && $0.rating < rating }
        return [
            Contender("#Predicate.evaluate", .peer) {
                try sample(plain.count) { try plain.count { try predicate.evaluate($0) } }
            },
            Contender("closure over plain objects", .control) {
                sample(plain.count) { plain.count { $0.price > price && $0.rating < rating } }
            },
        ]
    }

    private static func sample(_ size: Int, _ body: () throws -> Int) rethrows -> Sample {
        var watch = Stopwatch()
        let matches = try watch.time(body)
        return Sample(watch, operations: size, checksum: UInt64(matches))
    }
}
