import Cairn
import CairnTestSupport
import Dispatch
import Foundation
import GraphSupport
import Synchronization
import Testing

/// The order of the turns of one context, and the threads on which they run.
///
/// The engine does not matter, so one is enough. The suite is in this target because it shares `ItemStack`
/// and `HeldTurn` with tests that run on every engine.
@Suite(.timeLimit(.minutes(1))) struct `Turns of one context` {
    private let stack: ItemStack
    private let handle: ContextHandle

    init() throws {
        stack = try ItemStack(.inMemory)
        handle = try stack.handle()
    }

    @Test(arguments: [10, 1_000]) @MainActor
    func `run in the order of the calls`(_ count: Int) async throws {
        let order = Order()
        let held = await HeldTurn.ofTask(handle)

        let tasks = (0..<count).map { call($0, priority: nil, noting: order) }
        while order.calls.count < count { await Task.yield() }
        held.end()
        for task in tasks { try await task.value }

        #expect(order.calls.count == count)
        #expect(order.turns == order.calls)
    }

    /// One turn in eight goes to the task that has waited longest.
    @Test @MainActor func `are given to a low priority even if higher ones wait`() async throws {
        let order = Order()
        let held = await HeldTurn.ofTask(handle)
        let lowest = -1

        let low = call(lowest, priority: .background, noting: order)
        while order.calls.isEmpty { await Task.yield() }
        let high = (0..<100).map { call($0, priority: .high, noting: order) }
        while order.calls.count <= high.count { await Task.yield() }
        held.end()
        for task in high { try await task.value }
        try await low.value

        #expect(order.turns.firstIndex(of: lowest).map { $0 > 0 && $0 < 8 } == true)
        #expect(order.turns.filter { $0 != lowest } == Array(0..<100))
    }

    /// Records tasks of the main actor when they request a turn, and when they get it.
    @MainActor private final class Order {
        private(set) var calls: [Int] = []
        private nonisolated let taken = Mutex<[Int]>([])

        var turns: [Int] { taken.withLock { $0 } }
        func noteCall(_ number: Int) { calls.append(number) }
        nonisolated func noteTurn(_ number: Int) { taken.withLock { $0.append(number) } }
    }

    /// Returns a task that has requested a turn. The task is in the line once it leaves the main actor.
    @MainActor private func call(
        _ number: Int, priority: TaskPriority?, noting order: Order
    ) -> Task<Void, any Error> {
        Task(priority: priority) { @MainActor [handle] in
            order.noteCall(number)
            try await handle.perform { _ in order.noteTurn(number) }
        }
    }

    /// Each of them continues until all have had their turns.
    @Test func `are given to all threads and tasks that keep asking for them`() async throws {
        let wanted = 50
        let counts = Mutex([Int](repeating: 0, count: 8))
        let isDone: @Sendable () -> Bool = { counts.withLock { $0.allSatisfy { $0 >= wanted } } }
        let note: @Sendable (Int) -> Void = { number in counts.withLock { $0[number] += 1 } }

        for number in 0..<4 {
            Thread.detachNewThread { [handle] in
                while !isDone() { try? handle.performAndWait { _ in note(number) } }
            }
        }
        try await withThrowingTaskGroup { group in
            for number in 4..<8 {
                group.addTask { [handle] in
                    while !isDone() { try await handle.perform { _ in note(number) } }
                }
            }
            try await group.waitForAll()
        }

        #expect(counts.withLock { $0.min() ?? 0 } >= wanted)
    }

    @Test func `run on the same thread as a task that prefers the executor`() async throws {
        let executor = stack.coordinator.executor

        let threads = try await Task(executorPreference: executor) { [handle] in
            let before = Self.thread()
            let inside = try await handle.perform { _ in Self.thread() }
            return [before, inside, Self.thread()]
        }.value

        #expect(Set(threads).count == 1)
    }

    private static func thread() -> UInt { UInt(bitPattern: pthread_self().hashValue) }

    @Test @MainActor func `leave the main actor, and come back to it`() async throws {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        let isOnMain: @Sendable () -> Bool = { DispatchQueue.getSpecific(key: key) == true }
        let executor = stack.coordinator.executor

        let inside = try await handle.perform { _ in (isOnMain(), executor.isCurrent) }

        #expect(inside == (false, true))
        #expect(isOnMain())
        #expect(!executor.isCurrent)
    }
}
