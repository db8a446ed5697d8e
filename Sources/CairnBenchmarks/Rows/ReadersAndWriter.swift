import Cairn
import Dispatch
import Foundation

/// Reading while another thread writes.
struct ReadersAndWriter: Workload {
    let name = "readers"
    let title = "two readers in parallel, without and with a writer"
    let about = About(
        goal: """
            where readers do not wait for the writer, its saves cost them little; look at the wall \
            times
            """,
        heldFixed: """
            each reader fetches the items of 10 categories as objects, in a context of its own on \
            its own thread; the writer changes an item and saves until they are done
            """,
        varied: "one reader alone, two at a time, two and a writer")

    func plan(in setting: Setting) throws -> WorkloadPlan {
        .contests([
            Contest(
                unit: "row read", durability: setting.engine.durability,
                [
                    Contender("Cairn, one reader", .ours) {
                        try Self.run(setting, readers: 1, writes: false)
                    },
                    Contender("Cairn, two readers", .ours) {
                        try Self.run(setting, readers: 2, writes: false)
                    },
                    Contender("Cairn, two readers and a writer", .ours) {
                        try Self.run(setting, readers: 2, writes: true)
                    },
                ])
        ])
    }

    /// The checksum is that of the first reader, whose data the writer does not change.
    private static func run(_ setting: Setting, readers: Int, writes: Bool) throws -> Sample {
        let categories = min(10, setting.groupCount)
        var checksum: UInt64 = 0
        var sample = try setting.changing(.items) { stack in
            let work = ParallelWork(stack: stack, categories: categories)
            var watch = Stopwatch()
            watch.time { work.run(readers: readers, writes: writes) }
            let sample = try work.sample(watch)
            checksum = sample.checksum
            return sample
        }
        // Replaces the checksum of the store after the writer's changes, because the number of its saves
        // varies.
        sample.checksum = checksum
        return sample
    }
}

/// Readers and a writer on separate threads.
private final class ParallelWork: @unchecked Sendable {
    // Unchecked because a lock protects everything that the threads change.
    private let stack: MeasuredStack
    private let categories: Int
    private let lock = NSLock()
    private var counts: [Int] = []
    private var checksums: [UInt64] = []
    private var failure: (any Error)?
    private var isDone = false

    init(stack: MeasuredStack, categories: Int) {
        self.stack = stack
        self.categories = categories
    }

    func run(readers: Int, writes: Bool) {
        let reading = DispatchGroup()
        for _ in 0..<readers { start(reading) { try self.read() } }
        let writing = DispatchGroup()
        if writes { start(writing) { try self.write() } }
        reading.wait()
        lock.withLock { isDone = true }
        writing.wait()
    }

    /// Returns the sample.
    ///
    /// - Throws: The error of a thread that failed.
    func sample(_ watch: Stopwatch) throws -> Sample {
        if let failure { throw failure }
        return Sample(
            watch, operations: counts.reduce(0, +), checksum: checksums.first ?? 0)
    }

    private func start(_ group: DispatchGroup, _ body: @escaping @Sendable () throws -> Void) {
        let thread = Thread {
            do {
                try body()
            } catch {
                self.lock.withLock { self.failure = error }
            }
            group.leave()
        }
        group.enter()
        thread.start()
    }

    private func read() throws {
        let categories = categories
        let (count, checksum) = try stack.inContext { context in
            var checksum = RowChecksum()
            var count = 0
            for category in 0..<categories {
                let items: [Item] = try context.fetch(
                    FetchRequest<Item>("Item", where: "category == %@", category))
                for item in items { checksum.add(item.number) }
                count += items.count
            }
            return (count, checksum.value)
        }
        lock.withLock {
            counts.append(count)
            checksums.append(checksum)
        }
    }

    private func write() throws {
        try stack.inContext { context in
            var request = FetchRequest<Item>()
            request.fetchLimit = 1
            let items: [Item] = try context.fetch(request)
            var price = 0.0
            while !self.lock.withLock({ self.isDone }) {
                price += 1
                items[0].price = price
                try context.save()
            }
        }
    }
}
