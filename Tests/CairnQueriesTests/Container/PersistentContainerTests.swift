import CairnMemory
import CairnModel
import CairnTesting
import Foundation
import StackSupport
import Synchronization
import Testing

@testable import CairnObjects
@testable import CairnQueries
@testable import CairnStack

@Suite struct `Persistent container` {
    private let registry = StoreRegistry([FaultInjectingStore<InMemoryStore>.self])

    private func container(_ descriptions: [PersistentStoreDescription]) throws
        -> PersistentContainer
    {
        let container = PersistentContainer(
            name: "Library", managedObjectModel: try LibraryStack.makeModel(), registry: registry)
        container.persistentStoreDescriptions = descriptions
        return container
    }

    private func memory(
        _ configuration: String? = nil, _ faults: StoreFaults? = nil
    ) -> PersistentStoreDescription {
        let description = PersistentStoreDescription(type: "InMemory")
        description.configuration = configuration
        description.options = faults?.options ?? [:]
        return description
    }

    /// An object that makes opening a store fail until it is told to stop.
    private func failing() -> StoreFaults {
        let faults = StoreFaults()
        faults.fail(.open, calls: 1...) { .readOnly($0) }
        return faults
    }

    @Test func `describes one SQLite store in its folder unless told otherwise`() throws {
        let folder = URL(fileURLWithPath: "/somewhere", isDirectory: true)
        let container = PersistentContainer(
            name: "Library", managedObjectModel: try LibraryStack.makeModel(), registry: registry,
            directory: folder)

        let descriptions = container.persistentStoreDescriptions

        #expect(descriptions.map(\.storeType) == ["SQLite"])
        #expect(descriptions.map(\.url?.path) == ["/somewhere/Library.sqlite"])
    }

    @Test func `calls back once for each store, on the calling thread`() throws {
        let container = try container([memory("Library"), memory("Notes")])
        let calls = Calls()

        container.loadPersistentStores { calls.add($0, $1) }

        #expect(calls.all.map(\.configuration) == ["Library", "Notes"])
        #expect(calls.failures.isEmpty)
        #expect(container.persistentStoreCoordinator.persistentStores.count == 2)
    }

    @Test func `a store that fails does not prevent others from being opened`() throws {
        let faults = failing()
        let container = try container([memory("Library", faults), memory("Notes")])
        let calls = Calls()

        container.loadPersistentStores { calls.add($0, $1) }

        #expect(calls.all.count == 2)
        #expect(calls.failures.count == 1)
        #expect(
            container.persistentStoreCoordinator.persistentStores.map(\.configurationName)
                == ["Notes"])
    }

    @Test func `a store added asynchronously opens after the call, and calls back on the queue`()
        async throws
    {
        let faults = StoreFaults()
        let held = faults.hold(.open)
        let slow = memory("Notes", faults)
        slow.shouldAddStoreAsynchronously = true
        let container = try container([slow, memory("Library")])
        let queue = DispatchQueue(label: "callbacks")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let calls = Calls()
        let (finished, done) = AsyncStream<Bool>.makeStream()

        container.loadPersistentStores(callingBackOn: queue) { description, failure in
            calls.add(description, failure)
            guard description.shouldAddStoreAsynchronously else { return }
            done.yield(DispatchQueue.getSpecific(key: key) ?? false)
            done.finish()
        }
        let atReturn = calls.all.map(\.configuration)
        held.release()
        var isOnQueue = false
        for await value in finished { isOnQueue = value }

        #expect(atReturn == ["Library"])
        #expect(isOnQueue)
        #expect(calls.all.map(\.configuration) == ["Library", "Notes"])
        #expect(calls.failures.isEmpty)
    }

    @Test func `async loading names every store that failed`() async throws {
        let faults = [failing(), failing()]
        let container = try container([
            memory("Library", faults[0]), memory("Archive", faults[1]), memory("Notes"),
        ])

        await #expect {
            try await container.loadPersistentStores()
        } throws: { error in
            guard case GraphError.loading(let failures) = error else { return false }
            return Set(failures.map(\.description.configuration)) == ["Library", "Archive"]
        }
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    }

    @Test func `async loading throws a single failure unchanged`() async throws {
        let container = try container([PersistentStoreDescription(type: "Clay")])

        await #expect {
            try await container.loadPersistentStores()
        } throws: { error in
            if case GraphError.store(.unknownType("Clay", _)) = error { true } else { false }
        }
    }

    @Test func `loading again opens only the stores that failed before`() throws {
        let faults = failing()
        let named = memory("Library")
        named.url = URL(string: "memory:library")
        let container = try container([named, memory("Notes", faults)])
        container.loadPersistentStores { _, _ in }
        faults.stopFailing()
        let calls = Calls()

        container.loadPersistentStores { calls.add($0, $1) }

        #expect(calls.failures.isEmpty)
        #expect(container.persistentStoreCoordinator.persistentStores.count == 2)
    }

    private func configurations(_ container: PersistentContainer) -> [String?] {
        container.persistentStoreCoordinator.persistentStores.map(\.configurationName)
    }

    @Test func `stores have the order of their descriptions, whichever is open first`() async throws
    {
        let faults = [StoreFaults(), StoreFaults()]
        let held = faults.map { $0.hold(.open) }
        let descriptions = [
            memory("Library", faults[0]), memory("Archive", faults[1]), memory("Notes"),
        ]
        for description in descriptions { description.shouldAddStoreAsynchronously = true }
        let container = try container(descriptions)
        let (opened, report) = AsyncStream<[String?]>.makeStream()

        container.loadPersistentStores(callingBackOn: .global()) { description, _ in
            report.yield(self.configurations(container))
            switch description.configuration {
            case "Notes": held[1].release()
            case "Archive": held[0].release()
            default: report.finish()
            }
        }
        var states: [[String?]] = []
        for await state in opened { states.append(state) }

        #expect(
            states == [["Notes"], ["Archive", "Notes"], ["Library", "Archive", "Notes"]])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a store that takes long delays no other, even if the caller waits for all`() throws {
        let (slow, quick) = (StoreFaults(), StoreFaults())
        let held = slow.hold(.open)
        quick.observe(.open) { held.release() }
        let container = try container([memory("Library", slow), memory("Notes", quick)])
        let calls = Calls()

        container.loadPersistentStores { calls.add($0, $1) }

        #expect(calls.failures.isEmpty)
        #expect(calls.all.map(\.configuration) == ["Library", "Notes"])
        #expect(configurations(container) == ["Library", "Notes"])
    }

    @Test func `a store that failed at first gets its position when it is loaded again`()
        async throws
    {
        let faults = failing()
        let container = try container([
            memory("Library", faults), memory("Archive"), memory("Notes"),
        ])
        await #expect(throws: GraphError.self) { try await container.loadPersistentStores() }
        try await container.persistentStoreCoordinator.addPersistentStore(ofType: "InMemory")
        let before = configurations(container)
        faults.stopFailing()

        try await container.loadPersistentStores()

        #expect(before == ["Archive", "Notes", nil])
        #expect(configurations(container) == ["Library", "Archive", "Notes", nil])
    }

    @Test func `new descriptions of open stores keep their positions, and added ones come between`()
        async throws
    {
        func named(_ name: String) -> PersistentStoreDescription {
            let description = memory(name)
            description.url = URL(string: "memory:\(name)")
            return description
        }
        let container = try container([named("Library"), named("Notes")])
        try await container.loadPersistentStores()
        container.persistentStoreDescriptions = [
            named("Library"), named("Archive"), named("Notes"),
        ]

        try await container.loadPersistentStores()

        #expect(configurations(container) == ["Library", "Archive", "Notes"])
    }

    @Test(arguments: [false, true])
    func `a store that is described twice is opened once, at the place of its first description`(
        _ isAsynchronous: Bool
    ) async throws {
        func named(_ name: String) -> PersistentStoreDescription {
            let description = memory(name)
            description.url = URL(string: "memory:\(name)")
            return description
        }
        let notes = memory("Notes")
        let container = try container([
            named("Library"), notes, named("Library"), notes, named("Library"), named("Archive"),
        ])
        let calls = Calls()

        if isAsynchronous {
            try await container.loadPersistentStores()
        } else {
            container.loadPersistentStores { calls.add($0, $1) }
            #expect(calls.failures.isEmpty && calls.all.count == 6)
        }

        #expect(configurations(container) == ["Library", "Notes", "Archive"])
    }

    @Test func `stores added asynchronously have the order of the calls`() async throws {
        let coordinator = try container([]).persistentStoreCoordinator
        let faults = StoreFaults()
        let held = faults.hold(.open)
        let descriptions = [memory("Library", faults), memory("Notes")]
        for description in descriptions { description.shouldAddStoreAsynchronously = true }
        let (opened, report) = AsyncStream<Int>.makeStream()

        for description in descriptions {
            coordinator.addPersistentStore(with: description) { _, _ in
                held.release()
                report.yield(coordinator.persistentStores.count)
            }
        }
        for await count in opened where count == 2 { break }

        #expect(coordinator.persistentStores.map(\.configurationName) == ["Library", "Notes"])
    }

    @Test func `a store that failed leaves nothing of its position behind`() throws {
        let faults = failing()
        let container = try container([memory("Library", faults), memory("Notes")])

        for _ in 0..<3 { container.loadPersistentStores { _, _ in } }

        #expect(container.persistentStoreCoordinator.state.withLock { $0.positions.count } == 1)
        #expect(configurations(container) == ["Notes"])
    }

    @Test func `the timeout reaches only engines that take it`() throws {
        let description = PersistentStoreDescription(type: "SQLite")
        description.timeout = 1.5

        let taking = try description.allOptions(known: [.timeout])
        let others = try description.allOptions(known: [])

        #expect(taking[.timeout] == .real(1.5))
        #expect(others[.timeout] == nil)
    }

    @Test func `an in-memory store replaces a file store whose path is dev null`() throws {
        let stack = try LibraryStack()

        let store = try stack.coordinator.addPersistentStore(
            ofType: "InMemory", at: URL(fileURLWithPath: "/dev/null"))
        let second = try stack.coordinator.addPersistentStore(
            ofType: "InMemory", at: URL(fileURLWithPath: "/dev/null"))

        #expect(store.url == nil)
        #expect(second.number != store.number)
    }

    @Test @MainActor func `has a single context for the user interface`() throws {
        let container = try container([memory()])
        container.loadPersistentStores { _, _ in }
        let context = container.viewContext

        let book = try context.insertNewObject(forEntityName: "Book")
        try book.setValue("Moby-Dick", forKey: "title")
        try context.save()

        #expect(container.viewContext === context)
        #expect(context.persistentStoreCoordinator === container.persistentStoreCoordinator)
        #expect(try context.count(for: FetchRequest<ManagedObject>("Book")) == 1)
    }

    @Test func `background tasks see what others saved`() async throws {
        let container = try container([memory()])
        container.loadPersistentStores { _, _ in }

        try await container.performBackgroundTask { context in
            try context.insertNewObject(forEntityName: "Book").setValue("Emma", forKey: "title")
            try context.save()
        }
        let count = try await container.newBackgroundContext().perform { context in
            try context.count(for: FetchRequest<ManagedObject>("Book"))
        }

        #expect(count == 1)
    }
}

/// A record of the arguments that a completion handler was called with.
private final class Calls: Sendable {
    private let calls = Mutex<[(PersistentStoreDescription, GraphError?)]>([])

    func add(_ description: PersistentStoreDescription, _ failure: GraphError?) {
        calls.withLock { $0.append((description, failure)) }
    }

    var all: [PersistentStoreDescription] { calls.withLock { $0.map(\.0) } }
    var failures: [GraphError] { calls.withLock { $0.compactMap(\.1) } }
}
