import Cairn
import GraphSupport
import Synchronization
import Testing

/// Ten thousand contexts, on InMemory, whose saves wait for nothing, and on SQLite, whose saves wait for a
/// disk.
///
/// The engine makes no other difference to the executor, so other engines are not tested.
@Suite(.timeLimit(.minutes(2))) struct `A thousand tasks and ten thousand contexts` {
    private static let taskCount = 1_000
    private static let contextCount = 10_000

    /// One context in a hundred saves, so that some threads wait for the store's lock and for commits.
    @Test(arguments: ["InMemory", "SQLite"] as [StoreType])
    func `use no more threads than the executor may have`(_ type: StoreType) async throws {
        let stack = try ItemStack(type)
        let counter = Counter()

        try await withThrowingTaskGroup { group in
            for number in 0..<Self.taskCount {
                group.addTask {
                    for round in 0..<Self.contextCount / Self.taskCount {
                        try await ContextHandle(coordinator: stack.coordinator).perform { context in
                            _ = try context.insertNewObject(forEntityName: "Item")
                            if round == 0, number.isMultiple(of: 10) { try context.save() }
                        }
                        counter.note(threads: stack.coordinator.executor.load.threads)
                    }
                }
            }
            try await group.waitForAll()
        }
        let stored = try stack.inContext { try $0.count(for: FetchRequest<ManagedObject>("Item")) }

        #expect(counter.turns == Self.contextCount)
        #expect(stored == Self.taskCount / 10)
        #expect(counter.mostThreads > 0)
        // Each task that saves may add a thread while it waits for the others.
        #expect(
            counter.mostThreads
                <= stack.coordinator.executor.limits.total + Self.taskCount / 10)
    }

    @Test(arguments: everyEngine)
    func `that all save leave a thread to a reader`(_ type: StoreType) async throws {
        let stack = try ItemStack(type)
        let executor = stack.coordinator.executor
        let lock = try HeldStoreLock(of: stack.stores[0])
        let saverCount = executor.limits.total + 10
        let savers = (0..<saverCount).map { _ in
            Task {
                try await ContextHandle(coordinator: stack.coordinator).perform { context in
                    _ = try context.insertNewObject(forEntityName: "Item")
                    try context.save()
                }
            }
        }
        while executor.load.waiting < executor.limits.total { await Task.yield() }

        let readers = (0..<3).map { _ in
            Task {
                try await ContextHandle(coordinator: stack.coordinator).perform {
                    try $0.count(for: FetchRequest<ManagedObject>("Item"))
                }
            }
        }
        var counts: [Int] = []
        for reader in readers { counts.append(try await reader.value) }
        // Nobody has saved yet, so the readers did not wait for a saver.
        lock.release()
        for saver in savers { try await saver.value }

        #expect(counts == [0, 0, 0])
        let stored = try stack.inContext { try $0.count(for: FetchRequest<ManagedObject>("Item")) }
        #expect(stored == saverCount)
    }

    @Test func `are on the executor that a container of classes was given`() async throws {
        let executor = TurnExecutor(name: "given", limits: ThreadLimits(running: 1, total: 1))
        let container = try PersistentContainer(
            name: "Notes", for: BoundNote.self, executor: executor)
        let description = PersistentStoreDescription(type: .inMemory, url: nil)
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()

        let (threads, count) = try await container.perform {
            (executor.load.threads, try $0.count(BoundNote.self))
        }

        #expect(container.executor === executor)
        #expect(threads == 1)
        #expect(count == 0)
    }

    private final class Counter: Sendable {
        private let counts = Mutex((turns: 0, mostThreads: 0))
        var turns: Int { counts.withLock { $0.turns } }
        var mostThreads: Int { counts.withLock { $0.mostThreads } }

        func note(threads: Int) {
            counts.withLock {
                $0.turns += 1
                $0.mostThreads = max($0.mostThreads, threads)
            }
        }
    }
}

private final class BoundNote: ManagedObject {
    @Managed var text: String
}
