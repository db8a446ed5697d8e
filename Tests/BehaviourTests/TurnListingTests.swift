import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Synchronization
import Testing

/// Turns requested in the ways that code listings for Core Data use.
@Suite struct `Turns in code written for Core Data` {
    private var tags: FetchRequest<ManagedObject> { FetchRequest(entityName: "Tag") }

    /// Records what turns did, in order.
    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
        let stream: AsyncStream<Void>
        private let more: AsyncStream<Void>.Continuation

        init() { (stream, more) = AsyncStream.makeStream() }

        func add(_ line: String) {
            lines.withLock { $0.append(line) }
            more.yield()
        }

        /// Waits until there are `count` lines, and returns them.
        func lines(_ count: Int) async -> [String] {
            for await _ in stream {
                let lines = lines.withLock { $0 }
                if lines.count >= count { return lines }
            }
            return []
        }
    }

    /// Requests a turn the way that code outside of a task does.
    private func ask(
        _ handle: ContextHandle, _ body: @escaping @Sendable (ManagedObjectContext) -> Void
    ) { handle.perform(body) }

    @Test(arguments: chosenEngines)
    func `run in the order of the calls, after the current turn`(
        _ type: StoreType
    ) async throws {
        let stack = try Library.stack(type)
        let handle = ContextHandle(coordinator: stack.coordinator)
        let log = Log()
        try handle.performAndWait { context throws in
            for number in 1...3 { context.perform { _ in log.add("turn \(number)") } }
            log.add("under way")
        }

        #expect(await log.lines(4) == ["under way", "turn 1", "turn 2", "turn 3"])
    }

    @Test(arguments: chosenEngines)
    func `change the context that they are passed, on that context's threads`(_ type: StoreType)
        async throws
    {
        let stack = try Library.stack(type)
        let context = ManagedObjectContext(concurrencyType: .privateQueue)
        context.persistentStoreCoordinator = stack.coordinator
        let (log, executor) = (Log(), stack.coordinator.executor)
        ask(context.handle) { context in
            do {
                _ = try context.insert("Tag", ["name": "tag"])
                try context.save()
                log.add(executor.isCurrent ? "saved on the executor" : "saved")
            } catch {
                log.add("\(error)")
            }
        }

        #expect(await log.lines(1) == ["saved on the executor"])
        let count = try await context.perform { [tags] in try $0.count(for: tags) }
        #expect(count == 1)
    }

    @Test(arguments: chosenEngines) @MainActor
    func `of a main-queue context run on the main queue, but not at once`(
        _ type: StoreType
    ) async throws {
        let stack = try Library.stack(type)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        let log = Log()
        ask(context.handle) { context in
            dispatchPrecondition(condition: .onQueue(.main))
            log.add("turn")
        }
        log.add("caller")

        #expect(await log.lines(2) == ["caller", "turn"])
        let count = try await context.perform { [tags] in try $0.count(for: tags) }
        #expect(count == 0)
    }

    @Test func `run even if the task that asks is cancelled, and keep the context alive`()
        async throws
    {
        let stack = try Library.stack(.inMemory)
        let log = Log()
        let task = Task { [self] in
            withUnsafeCurrentTask { $0?.cancel() }
            ask(ContextHandle(coordinator: stack.coordinator)) { log.add("\($0.hasChanges)") }
        }
        await task.value

        #expect(await log.lines(1) == ["false"])
    }

    @Test func `do not inherit the caller's deadline`() throws {
        let stack = try Library.stack(.inMemory)
        let (log, done) = (Log(), DispatchSemaphore(value: 0))
        StoreDeadline.with(.now - .seconds(1)) {
            ask(ContextHandle(coordinator: stack.coordinator)) { _ in
                log.add(StoreDeadline.current == nil ? "none" : "the caller's")
                done.signal()
            }
            done.wait()
        }

        #expect(log.lines.withLock { $0 } == ["none"])
    }

    @Test(arguments: chosenEngines)
    func `are used by a container for a background task`(_ type: StoreType) async throws {
        let folder = try TemporaryFolder()
        let container = PersistentContainer(
            name: "Library", managedObjectModel: try ManagedObjectModel(Library.entities),
            directory: folder.url)
        container.persistentStoreDescriptions = [
            PersistentStoreDescription(
                type: type, url: folder.url(of: type, "library.store"))
        ]
        try await container.loadPersistentStores()
        let log = Log()
        func export() {
            container.performBackgroundTask { context in
                do {
                    _ = try context.insert("Tag", ["name": "tag"])
                    try context.save()
                    log.add("saved")
                } catch {
                    log.add("\(error)")
                }
            }
        }
        export()
        let tags = tags

        #expect(await log.lines(1) == ["saved"])
        #expect(try await container.performBackgroundTask { try $0.count(for: tags) } == 1)
    }
}
