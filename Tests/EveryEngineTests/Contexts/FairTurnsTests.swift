import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Synchronization
import Testing

/// Tasks on a server: a task is not blocked by what other tasks wait for, and each task gets its share.
///
/// The tests count what each task did in the same time, and compare only counts from one run.
@Suite(.serialized, .timeLimit(.minutes(2))) struct `Many tasks on one container` {
    /// The duration of a round. The alternatives to be compared take turns, round by round.
    private static let round: Duration = .milliseconds(100)

    /// While the store's lock is held, more tasks save than there are processors.
    @Test(arguments: everyEngine)
    func `continue while others wait for a lock`(_ type: StoreType) async throws {
        let stack = try ItemStack(type)
        let saverCount = ProcessInfo.processInfo.activeProcessorCount + 2
        var (free, locked) = (0, 0)

        for _ in 0..<4 {
            free += await Self.ticks(for: Self.round)
            let lock = try HeldStoreLock(of: stack.stores[0])
            try await withThrowingTaskGroup { group in
                for number in 0..<saverCount {
                    group.addTask { try await Self.insert("item \(number)", in: stack) }
                }
                for _ in 0..<2_000 where stack.coordinator.executor.load.waiting < saverCount {
                    try await Task.sleep(for: .milliseconds(1))
                }
                locked += await Self.ticks(for: Self.round)
                lock.release()
                try await group.waitForAll()
            }
        }

        #expect(free > 0)
        #expect(locked * 2 >= free, "\(locked) ticks beside waiting savers, \(free) without")
    }

    @Test(arguments: everyEngine)
    func `have equal shares`(_ type: StoreType) async throws {
        let stack = try ItemStack(type)
        let counts = Mutex([Int](repeating: 0, count: 9))

        try await Self.run(for: Self.round * 5, tasks: 9) { number in
            _ = try await ContextHandle(coordinator: stack.coordinator).perform {
                try $0.count(for: FetchRequest<ManagedObject>("Item"))
            }
            counts.withLock { $0[number] += 1 }
        }

        let all = counts.withLock { $0 }
        #expect(all.min() ?? 0 > 0)
        #expect(all.max() ?? 0 <= 2 * (all.min() ?? 0), "\(all)")
    }

    @Test(arguments: everyEngine)
    func `leave a writer its share of turns`(_ type: StoreType) async throws {
        let stack = try ItemStack(type)
        try stack.inContext { context in
            for number in 0..<200 {
                try context.insertNewObject(forEntityName: "Item")
                    .setValue("item \(number)", forKey: "name")
            }
            try context.save()
        }
        let alone = Mutex(0)
        let beside = Mutex(0)

        for _ in 0..<5 {
            try await Self.run(for: Self.round, tasks: 1) { _ in
                try await Self.changeOne(in: stack)
                alone.withLock { $0 += 1 }
            }
            // The last task writes. If waiting tasks blocked their threads, the readers would keep it from
            // starting.
            try await Self.run(for: Self.round, tasks: 9) { number in
                if number < 8 { return try await Self.readAll(in: stack) }
                try await Self.changeOne(in: stack)
                beside.withLock { $0 += 1 }
            }
        }

        let (count, of) = (beside.withLock { $0 }, alone.withLock { $0 })
        #expect(of > 0)
        #expect(count * 10 >= of, "\(count) commits beside eight readers, \(of) alone")
    }

    // MARK: What tasks do

    private static func insert(_ name: String, in stack: ItemStack) async throws {
        try await ContextHandle(coordinator: stack.coordinator).perform { context in
            try context.insertNewObject(forEntityName: "Item").setValue(name, forKey: "name")
            try context.save()
        }
    }

    private static func changeOne(in stack: ItemStack) async throws {
        try await ContextHandle(coordinator: stack.coordinator).perform { context in
            let item = try context.item("item 1")
            try item?.setValue(Int64.random(in: 0...(.max)), forKey: "a")
            try context.save()
        }
    }

    private static func readAll(in stack: ItemStack) async throws {
        try await ContextHandle(coordinator: stack.coordinator).perform { context in
            let items: [ManagedObject] = try context.fetch(FetchRequest<ManagedObject>("Item"))
            for item in items { _ = try item.value(forKey: "name") }
        }
    }

    // MARK: Counting

    /// Returns how many steps a task that uses no store completes in the given time.
    private static func ticks(for time: Duration) async -> Int {
        let end = ContinuousClock.now + time
        var count = 0
        while ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(1))
            count += 1
        }
        return count
    }

    /// Runs tasks that repeat the body until the time is up.
    private static func run(
        for time: Duration, tasks: Int, _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let end = ContinuousClock.now + time
        try await withThrowingTaskGroup { group in
            for number in 0..<tasks {
                group.addTask {
                    while ContinuousClock.now < end { try await body(number) }
                }
            }
            try await group.waitForAll()
        }
    }
}
