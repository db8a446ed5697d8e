import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Cancelling a task ends whatever it waits for. The limit is for tests that share the main actor with others.
@Suite(.timeLimit(.minutes(5))) struct `A wait of a cancelled task` {
    enum Holder: CaseIterable {
        case task, thread
    }

    /// While a thread holds the turn, the first task in the line waits on a thread of the executor.
    @Test(arguments: Holder.allCases) @MainActor
    func `for a turn ends`(_ holder: Holder) async throws {
        let stack = try ItemStack(.inMemory)
        let handle = try stack.handle()
        let held =
            holder == .task ? await HeldTurn.ofTask(handle) : await HeldTurn.ofThread(handle)
        let blockedThreads = holder == .task ? 0 : 1

        let cancelled = await Self.waiter(for: handle)
        while stack.coordinator.executor.load.waiting < blockedThreads { await Task.yield() }
        let later = await Self.waiter(for: handle)
        cancelled.cancel()

        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(held.isHeld)
        held.end()
        try await later.value
        #expect(try await handle.perform { $0.insertedObjects.count } == 1)
    }

    /// Returns a task that is in the line for a turn, in which it will insert an item.
    @MainActor private static func waiter(for handle: ContextHandle) async -> Task<Void, any Error>
    {
        let called = Called()
        let task = Task { @MainActor in
            called.value = true
            try await handle.perform { _ = try $0.insertNewObject(forEntityName: "Item") }
        }
        // The task leaves the main actor only when it is in the line.
        while !called.value { await Task.yield() }
        return task
    }

    @MainActor private final class Called {
        var value = false
    }

    @Test func `in performAndWait throws an error that names the context`() async throws {
        let stack = try ItemStack(.inMemory)
        let executor = stack.coordinator.executor
        let handle = try stack.handle()
        let held = await HeldTurn.ofThread(handle)

        let task = Task(executorPreference: executor) {
            try handle.performAndWait { _ = try $0.insertNewObject(forEntityName: "Item") }
        }
        while executor.load.waiting == 0 { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: GraphError.self) { try await task.value }

        guard case .waitCancelled(let name) = error else {
            Issue.record("not .waitCancelled: \(String(describing: error))")
            return held.end()
        }
        #expect(!name.isEmpty)
        #expect(held.isHeld)
        held.end()
        #expect(try await handle.perform { $0.insertedObjects.isEmpty })
    }

    @Test(arguments: everyEngine)
    func `of a save for the lock of its store ends with nothing done`(
        _ type: StoreType
    ) async throws {
        let stack = try ItemStack(type)
        let handle = try stack.handle()
        let lock = try HeldStoreLock(of: stack.stores[0])

        let task = Task {
            try await handle.perform { context in
                try context.insertNewObject(forEntityName: "Item").setValue("new", forKey: "name")
                try context.save()
            }
        }
        while stack.coordinator.executor.load.waiting == 0 { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: GraphError.self) { try await task.value }
        let stored = try await Self.storedCount(in: stack)
        let unsaved = try await handle.perform { context in
            context.insertedObjects.map(\.objectID.isTemporary)
        }
        lock.release()
        try await handle.perform { try $0.save() }

        guard case .saveCancelled = error else {
            Issue.record("not .saveCancelled: \(String(describing: error))")
            return
        }
        #expect(stored == 0)
        #expect(unsaved == [true])
        #expect(try await Self.storedCount(in: stack) == 1)
        #expect(try await handle.perform { !$0.hasChanges })
    }

    // MARK: Opening stores

    @Test(arguments: ["SQLite", "XML", "Binary"] as [StoreType])
    func `of a new store for the lock of its file ends with nothing added`(
        _ type: StoreType
    ) async throws {
        let folder = try TemporaryFolder()
        let container = try Self.container(type, in: folder)
        let coordinator = container.persistentStoreCoordinator
        let lock = try HeldStoreLock(at: folder.file("new.store").path + "-lock")

        let task = Task(executorPreference: container.executor) {
            _ = try coordinator.addPersistentStore(with: container.persistentStoreDescriptions[0])
        }
        while container.executor.load.waiting == 0 { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: GraphError.self) { try await task.value }
        let stores = coordinator.persistentStores
        lock.release()
        try await container.loadPersistentStores()

        #expect(Self.isOpeningCancelled(error), "\(String(describing: error))")
        #expect(stores.isEmpty)
        #expect(coordinator.persistentStores.count == 1)
    }

    @Test(arguments: everyEngine)
    func `for stores to be loaded ends with none added`(_ type: StoreType) async throws {
        let folder = try TemporaryFolder()
        let container = try Self.container(type, in: folder)
        let coordinator = container.persistentStoreCoordinator

        let (load, addition) = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let load = await #expect(throws: GraphError.self) {
                try await container.loadPersistentStores()
            }
            let addition = await #expect(throws: GraphError.self) {
                let url = container.persistentStoreDescriptions[0].url
                _ = try await coordinator.addPersistentStore(ofType: type, at: url)
            }
            return (load, addition)
        }.value
        let stores = coordinator.persistentStores
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        try await container.loadPersistentStores()

        #expect(Self.isOpeningCancelled(load), "\(String(describing: load))")
        #expect(Self.isOpeningCancelled(addition), "\(String(describing: addition))")
        #expect(stores.isEmpty)
        #expect(files == [])
        #expect(coordinator.persistentStores.count == 1)
    }

    private static func container(
        _ type: StoreType, in folder: TemporaryFolder
    ) throws -> PersistentContainer {
        let item = EntityDescription("Item", [.attribute("name", .string)])
        let container = PersistentContainer(
            name: "Items", managedObjectModel: try ManagedObjectModel([item]))
        let file = folder.url(of: type, "new.store")
        let description = PersistentStoreDescription(type: type, url: file)
        description.timeout = 60
        container.persistentStoreDescriptions = [description]
        return container
    }

    private static func isOpeningCancelled(_ error: GraphError?) -> Bool {
        if case .openingCancelled = error { true } else { false }
    }

    private static func storedCount(in stack: ItemStack) async throws -> Int {
        try await ContextHandle(coordinator: stack.coordinator).perform {
            try $0.count(for: FetchRequest<ManagedObject>("Item"))
        }
    }
}
