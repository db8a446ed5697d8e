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
        #expect(counter.mostThreads <= stack.coordinator.executor.limits.total)
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
