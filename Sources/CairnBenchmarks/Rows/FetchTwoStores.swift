import Cairn
import Foundation
import Synchronization

/// A fetch over two stores of one coordinator.
struct FetchTwoStores: Workload {
    let name = "two-stores"
    let title = "sorted fetch over two stores of one coordinator"
    let about = About(
        goal: "every engine ≤ 1.3 of fetching from each and merging by hand",
        heldFixed: """
            the items of 10 categories of two stores with the same items, sorted by number, as \
            objects
            """,
        varied: """
            one fetch that the coordinator merges; two fetches, each of one store, whose answers \
            are merged by hand; the same two fetches at once on two threads, not merged, which is \
            the most that reading stores in parallel could give
            """)

    func plan(in setting: Setting) throws -> WorkloadPlan {
        guard setting.engine.isFile else {
            return .notApplicable(
                because: "the row copies the file of a store")
        }
        let stack = try setting.items()
        try stack.coordinator.addPersistentStore(
            ofType: setting.engine, configurationName: nil, at: try setting.secondItemsURL(),
            options: setting.shelf.options(of: setting.engine))
        let stores = stack.coordinator.persistentStores
        let together = Contender("Cairn, one fetch", .ours, goal: .ratio(1.3)) {
            try stack.inContext { context in
                var watch = Stopwatch()
                let items: [Item] = try watch.time { try context.fetch(try Self.request()) }
                return Self.sample(watch, items)
            }
        }
        let byHand = Contender("Cairn, two fetches merged by hand", .baseline) {
            try stack.inContext { context in
                var watch = Stopwatch()
                let items: [Item] = try watch.time {
                    var answers: [[Item]] = []
                    for store in stores {
                        var request = try Self.request()
                        request.affectedStores = [store]
                        answers.append(try context.fetch(request))
                    }
                    return Self.merge(answers[0], answers[1])
                }
                return Self.sample(watch, items)
            }
        }
        let atOnce = Contender("Cairn, two fetches on two threads", .control) {
            try Self.fetchAtOnce(stack, stores)
        }
        return .contests([Contest(unit: "row", [byHand, together, atOnce])])
    }

    /// Fetches from each store in a separate context. Only the fetches are timed.
    private static func fetchAtOnce(
        _ stack: MeasuredStack, _ stores: [any PersistentStore]
    ) throws -> Sample {
        let answers = Mutex<[Result<[Int64], any Error>]>([])
        var watch = Stopwatch()
        watch.time {
            DispatchQueue.concurrentPerform(iterations: stores.count) { index in
                let numbers = Result {
                    try stack.inContext { context in
                        var request = try Self.request()
                        request.affectedStores = [stores[index]]
                        let items: [Item] = try context.fetch(request)
                        return items.map(\.number)
                    }
                }
                answers.withLock { $0.append(numbers) }
            }
        }
        let numbers = try answers.withLock { try $0.flatMap { try $0.get() } }.sorted()
        return Sample(
            watch, operations: numbers.count, checksum: RowChecksum(keys: numbers).value)
    }

    private static func request() throws -> FetchRequest<Item> {
        var request = try FetchRequest<Item>("Item", where: "category < 10")
        request.sortDescriptors = [FetchSortDescriptor("number")]
        return request
    }

    /// Both stores contain items with the same numbers, so only the numbers are compared.
    private static func sample(_ watch: Stopwatch, _ items: [Item]) -> Sample {
        Sample(
            watch, operations: items.count,
            checksum: RowChecksum(keys: items.lazy.map(\.number)).value)
    }

    private static func merge(_ left: [Item], _ right: [Item]) -> [Item] {
        var merged: [Item] = []
        merged.reserveCapacity(left.count + right.count)
        var (i, j) = (0, 0)
        while i < left.count, j < right.count {
            if left[i].number <= right[j].number {
                merged.append(left[i])
                i += 1
            } else {
                merged.append(right[j])
                j += 1
            }
        }
        return merged + left[i...] + right[j...]
    }
}
