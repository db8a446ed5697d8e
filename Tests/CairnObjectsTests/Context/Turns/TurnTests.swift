import CairnMemory
import CairnModel
import CairnTesting
import Foundation
import StackSupport
import Synchronization
import Testing

@testable import CairnObjects
@testable import CairnStack

@Suite struct `Turns of a context` {
    private let stack: MusicStack

    init() throws { stack = try MusicStack() }

    @Test func `pass the context in and return what is Sendable`() async throws {
        let handle = stack.handle()

        let id = try await handle.perform { context in
            let tag = try context.insertNewObject(forEntityName: "Tag")
            try context.save()
            return tag.objectID
        }
        let count = try handle.performAndWait { context in
            try context.count(for: FetchRequest<ManagedObject>("Tag"))
        }

        #expect(!id.isTemporary)
        #expect(count == 1)
    }

    @Test func `throw what the body throws`() async throws {
        let handle = stack.handle()

        await #expect(throws: GraphError.self) {
            try await handle.perform { context in
                _ = try context.insertNewObject(forEntityName: "Nothing")
            }
        }
    }

    @Test func `may be nested in a turn of the same context`() async throws {
        let handle = stack.handle()

        let isSame = try await handle.perform { context in
            let outer = ObjectIdentifier(context)
            return try context.handle.performAndWait { again in
                let inner = ObjectIdentifier(again)
                return try handle.performAndWait { _ in inner == outer }
            }
        }

        #expect(isSame)
    }

    @Test func `exclude each other`() async throws {
        let handle = stack.handle()
        let total = 2_000

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<total {
                group.addTask {
                    if number.isMultiple(of: 2) {
                        try await handle.perform { try Self.addOne($0) }
                    } else {
                        try handle.performAndWait { try Self.addOne($0) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try handle.performAndWait { $0.insertedObjects.count }

        #expect(count == total)
    }

    private static func addOne(_ context: ManagedObjectContext) throws {
        _ = try context.insertNewObject(forEntityName: "Tag")
    }

    @Test func `report a deadlock of two contexts`() throws {
        let (one, two) = (stack.handle(), stack.handle())

        let told = crossing(
            one, { _ in try two.performAndWait { _ in } },
            two, { _ in try one.performAndWait { _ in } })

        expectOneCycle(in: told)
    }

    @Test func `report a deadlock of a parent and its child`() throws {
        let parent = stack.handle()
        let child = ContextHandle(parent: parent)

        // The child's fetch needs the parent.
        let told = crossing(
            parent, { _ in try child.performAndWait { _ in } },
            child, { context in _ = try context.fetch(FetchRequest("Tag")) })

        expectOneCycle(in: told)
    }

    /// Runs one closure in a turn of each context, once both turns have begun. Returns the errors.
    private func crossing(
        _ one: ContextHandle, _ first: @escaping @Sendable (ManagedObjectContext) throws -> Void,
        _ two: ContextHandle, _ second: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> [GraphError] {
        let oneHasBegun = DispatchSemaphore(value: 0)
        let twoHasBegun = DispatchSemaphore(value: 0)
        let failures = Mutex<[GraphError]>([])
        let threads = DispatchGroup()
        run(in: threads) {
            try one.performAndWait { context in
                oneHasBegun.signal()
                twoHasBegun.wait()
                Self.note(in: failures) { try first(context) }
            }
        }
        run(in: threads) {
            try two.performAndWait { context in
                twoHasBegun.signal()
                oneHasBegun.wait()
                Self.note(in: failures) { try second(context) }
            }
        }
        threads.wait()
        return failures.withLock { $0 }
    }

    /// Expects that only the last to wait received the error. Its turn ended, so the other one could
    /// continue.
    private func expectOneCycle(in told: [GraphError]) {
        #expect(told.count == 1)
        guard case .waitCycle(let names) = told.first else {
            Issue.record("no cycle was reported")
            return
        }
        #expect(names.count == 2)
    }

    /// Each fetch waits inside the store until the other has arrived there, too.
    @Test func `of two contexts fetch at the same time`() throws {
        let faults = StoreFaults()
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: stack.coordinator.managedObjectModel,
            registry: StoreRegistry([FaultInjectingStore<InMemoryStore>.self]))
        try coordinator.addPersistentStore(ofType: "InMemory", options: faults.options)
        let meeting = Meeting()
        faults.observe(.fetch) { meeting.arrive() }
        let threads = DispatchGroup()

        for _ in 0..<2 {
            run(in: threads) {
                try ContextHandle(source: coordinator).performAndWait { context in
                    _ = try Array(context.fetch(FetchRequest<ManagedObject>("Tag")))
                }
            }
        }
        threads.wait()

        #expect(meeting.hasBeen)
    }

    /// A point at which two threads wait for each other. A thread that waits alone continues after ten
    /// seconds.
    private final class Meeting: Sendable {
        private let arrived = Mutex(0)
        private let both = DispatchSemaphore(value: 0)
        private let met = Mutex(false)

        var hasBeen: Bool { met.withLock { $0 } }

        func arrive() {
            let isSecond = arrived.withLock { count in
                count += 1
                return count == 2
            }
            if isSecond {
                both.signal()
            } else if both.wait(timeout: .now() + 10) == .success {
                met.withLock { $0 = true }
            }
        }
    }

    @Test func `are not given to a task that was cancelled while it waited`() async throws {
        let handle = stack.handle()
        let hasBegun = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            try? handle.performAndWait { _ in
                hasBegun.signal()
                mayEnd.wait()
            }
        }
        await Self.wait(for: hasBegun)

        // The first task waits for the thread, and the second task waits for the first.
        let first = Task { try await handle.perform { try Self.addOne($0) } }
        let second = Task { try await handle.perform { try Self.addOne($0) } }
        second.cancel()
        mayEnd.signal()
        try await first.value

        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(try handle.performAndWait { $0.insertedObjects.count } == 1)
    }

    @MainActor @Test func `of the main queue are not given to a cancelled task`() async throws {
        let handle = ManagedObjectContext(coordinator: stack.coordinator).handle

        let task = Task { try await handle.perform { try Self.addOne($0) } }
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(handle.mainQueueContext.insertedObjects.isEmpty)
    }

    @Test func `continue after cancellation, and their bodies see that the task is cancelled`()
        async throws
    {
        let handle = stack.handle()

        let task = Task {
            try await handle.perform { context in
                withUnsafeCurrentTask { $0?.cancel() }
                try Self.addOne(context)
                return Task.isCancelled
            }
        }

        #expect(try await task.value)
        #expect(try handle.performAndWait { $0.insertedObjects.count } == 1)
    }

    /// Waits without blocking a thread of the task pool.
    private static func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                semaphore.wait()
                done.resume()
            }
        }
    }

    private func run(in group: DispatchGroup, _ body: @escaping @Sendable () throws -> Void) {
        group.enter()
        Thread.detachNewThread {
            do { try body() } catch { Issue.record(error) }
            group.leave()
        }
    }

    private static func note(
        in failures: borrowing Mutex<[GraphError]>, _ body: () throws -> Void
    ) {
        do {
            try body()
        } catch let error as GraphError {
            failures.withLock { $0.append(error) }
        } catch {
            Issue.record(error)
        }
    }

    @Test func `refuse calls from outside a turn`() throws {
        let context = ManagedObjectContext(
            source: stack.coordinator, concurrencyType: .privateQueue, name: "sync")

        let error = #expect(throws: GraphError.self) {
            _ = try context.insertNewObject(forEntityName: "Tag")
        }

        guard case .wrongThread(let name, let detail) = error else {
            Issue.record("not refused: \(String(describing: error))")
            return
        }
        #expect(name == "sync")
        #expect(detail.contains("insert"))
    }

    @Test func `name the object and the context if an object is used outside a turn`() throws {
        let handle = stack.handle()
        let stolen = Stolen()

        try handle.performAndWait { context in
            stolen.object = try context.insertNewObject(forEntityName: "Tag")
        }
        let error = #expect(throws: GraphError.self) {
            try stolen.object?.setValue("x", forKey: "name")
        }

        guard case .wrongThread(_, let detail) = error else {
            Issue.record("not refused: \(String(describing: error))")
            return
        }
        #expect(detail.contains("Tag.name"))
    }

    /// A box that lets an object escape, which the compiler would otherwise reject.
    private final class Stolen: @unchecked Sendable {
        // Unchecked on purpose, because the test misuses the object.
        var object: ManagedObject?
    }

    @MainActor @Test func `of a main-queue context run on the main actor`() async throws {
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        let tag = try context.insertNewObject(forEntityName: "Tag")
        let handle = context.handle

        try tag.setValue("main", forKey: "name")
        let again = try handle.performAndWait { $0.insertedObjects.count }
        let hopped = try await Task.detached {
            try await handle.perform { try $0.save() }
            return try handle.performAndWait { $0.hasChanges }
        }.value

        #expect(again == 1)
        #expect(!hopped)
        #expect(!tag.objectID.isTemporary)
    }
}
