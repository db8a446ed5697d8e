import Cairn
import CairnStack
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Batches that insert what an asynchronous sequence produces.
@Suite struct `Insertion from an asynchronous sequence` {
    private final class ShopAuthor: ManagedObject {}

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func handle(_ type: StoreType) throws -> ContextHandle {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try BatchShop.model)
        try coordinator.addPersistentStore(
            ofType: type, at: folder.url(of: type, "shop"),
            options: [.tracksHistory: true])
        return ContextHandle(
            coordinator: coordinator, classes: ObjectClasses(byEntity: ["Author": ShopAuthor.self]))
    }

    private func count(_ handle: ContextHandle) async throws -> Int {
        try await handle.perform { try $0.count(for: FetchRequest<ManagedObject>("Author")) }
    }

    private static func setName(_ author: ShopAuthor, _ name: String) throws {
        try author.setValue(name, forKey: "name")
    }

    @Test(arguments: everyEngine, [100, 1_000_000])
    func `inserts an object for each element, in one save`(
        _ type: StoreType, _ partCount: Int
    ) async throws {
        let handle = try handle(type)
        let names = AsyncStream(String.self) { names in
            for number in 0..<4_200 { names.yield("A\(number)") }
            names.finish()
        }

        let result = try await BatchContent.$partCount.withValue(partCount) {
            try await handle.insertAll(ShopAuthor.self, from: names, Self.setName)
        }

        #expect(result.count == 4_200 && Set(result.objectIDs).count == 4_200)
        let stored = try await count(handle)
        #expect(stored == 4_200)
        let changes = try await handle.perform { context in
            try context.persistentStoreCoordinator?.history().map(\.changes.count) ?? []
        }
        #expect(changes == [4_200])
    }

    @Test(arguments: everyEngine)
    func `inserts nothing if its task is cancelled, or the sequence or an object fails`(
        _ type: StoreType
    ) async throws {
        struct Failure: Error {}
        let handle = try handle(type)
        let (elements, source) = AsyncThrowingStream<String, any Error>.makeStream()
        for number in 0..<5_000 { source.yield("A\(number)") }
        source.finish(throwing: Failure())
        let (endless, waiting) = AsyncStream<String>.makeStream()
        for number in 0..<5_000 { waiting.yield("B\(number)") }

        let task = Task { try await handle.insertAll(ShopAuthor.self, from: endless, Self.setName) }
        // The stream ends without an error when its task is cancelled.
        task.cancel()
        let cancelled = await task.result
        await #expect(throws: Failure.self) {
            try await handle.insertAll(ShopAuthor.self, from: elements, Self.setName)
        }
        let names = AsyncStream(String.self) { names in
            names.yield("C")
            names.finish()
        }
        await #expect(throws: Failure.self) {
            try await handle.insertAll(ShopAuthor.self, from: names) { _, _ in throw Failure() }
        }

        #expect(throws: (any Error).self) { try cancelled.get() }
        let stored = try await count(handle)
        #expect(stored == 0)
        withExtendedLifetime(waiting) {}
    }

    @Test func `leaves the context to others while it waits for an element`() async throws {
        let handle = try handle(.sqlite)
        let (elements, source) = AsyncStream<String>.makeStream()
        for number in 0..<5_000 { source.yield("A\(number)") }
        let task = Task {
            try await handle.insertAll(ShopAuthor.self, from: elements, Self.setName)
        }

        try await handle.perform { context in
            try context.insertNewObject(forEntityName: "Author").setValue("other", forKey: "name")
            try context.save()
        }
        source.finish()
        let result = try await task.value

        #expect(result.count == 5_000)
        let stored = try await count(handle)
        #expect(stored == 5_001)
    }
}
