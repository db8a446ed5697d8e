import CairnTestSupport
import Foundation
import GraphSupport
import Testing

@testable import CairnTesting

@Suite struct `A container for tests` {
    @Test func `has an empty store of its own in memory`() async throws {
        let first = try await PersistentContainer.inMemory(for: Poet.self, Poem.self)
        let second = try await PersistentContainer.inMemory(for: Poet.self, Poem.self)

        try await first.save(poet: "Keats")

        #expect(try await first.poets() == ["Keats"])
        #expect(try await second.poets() == [])
        #expect(
            first.persistentStoreCoordinator.persistentStores.map { type(of: $0).type } == [
                .inMemory
            ])
    }

    @Test func `accepts a model and classes`() async throws {
        let container = try await PersistentContainer.inMemory(
            ManagedObjectModel(Library.entities), classes: ObjectClasses([Author.self]))

        let name = try await container.perform { context in
            try Author(context: context).name = "Eliot"
            return try #require(context.fetch(FetchRequest<Author>()).first).name
        }

        #expect(name == "Eliot")
    }

    @Test(arguments: everyEngine)
    func `keeps what was saved, on each engine`(_ type: StoreType) async throws {
        let container = try await PersistentContainer.poetry(type)

        try await container.save(poet: "Keats")

        #expect(try await container.poets() == ["Keats"])
        let stores = container.persistentStoreCoordinator.persistentStores
        #expect(stores.map { Swift.type(of: $0).type } == [type])
    }

    /// Returns the folder of a container's store.
    private func folder(of container: PersistentContainer) throws -> URL {
        try #require(container.persistentStoreDescriptions.first?.url).deletingLastPathComponent()
    }

    @Test(arguments: everyFileEngine)
    func `removes its folder when it and its contexts are released`(
        _ type: StoreType
    ) async throws {
        var container: PersistentContainer? = try await .poetry(type)
        var context = container?.newBackgroundContext()
        let folder = try folder(of: try #require(container))
        try await container?.save(poet: "Keats")
        #expect(FileManager.default.fileExists(atPath: folder.path))

        container = nil
        let names = try await context?.perform { try $0.fetch(FetchRequest<Poet>()).map(\.name) }
        context = nil

        #expect(names == ["Keats"])
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test(arguments: everyFileEngine)
    func `has a store that can be closed and opened again`(_ type: StoreType) async throws {
        let container = try await PersistentContainer.poetry(type)
        let coordinator = container.persistentStoreCoordinator
        try await container.save(poet: "Keats")

        try coordinator.remove(coordinator.persistentStores[0])
        try await container.loadPersistentStores()

        #expect(try await container.poets() == ["Keats"])
    }

    @Test func `removes the folder that a killed process left, and no folder in use`() async throws
    {
        let container = try await PersistentContainer.poetry(.sqlite)
        let left = TemporaryStoreFolder.prefix + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: left + "/inner", withIntermediateDirectories: true)

        TemporaryStoreFolder.removeAbandoned()

        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(FileManager.default.fileExists(atPath: try folder(of: container).path))
    }

    @Test func `reports classes that cannot form a model`() async throws {
        let error = await #expect(throws: GraphError.self) {
            try await PersistentContainer.inMemory(for: Poet.self)
        }

        guard case .model(.invalid)? = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test func `reports an engine that does not exist`() async throws {
        let error = await #expect(throws: GraphError.self) {
            try await PersistentContainer.poetry("Paper")
        }

        guard case .store(.unknownType("Paper", _))? = error else {
            Issue.record("\(error as Any)")
            return
        }
    }
}
