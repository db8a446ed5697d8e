import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Entities with more attributes than a table of SQLite can have columns.
@Suite struct `An entity with thousands of attributes` {
    /// - Parameter count: The number of attributes of the entity and its subentity together.
    private static func model(_ count: Int) throws -> ManagedObjectModel {
        let own = (0..<1_500).map { PropertyDescription.attribute("a\($0)", .integer64) }
        let added = (1_500..<count).map {
            PropertyDescription.attribute("a\($0)", .integer64)
        }
        return try ManagedObjectModel([
            EntityDescription("Wide", own), EntityDescription("Wider", superentity: "Wide", added),
        ])
    }

    @Test func `is refused by SQLite before a file is created`() throws {
        let folder = try TemporaryFolder()
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try Self.model(2_100))

        let error = #expect(throws: GraphError.self) {
            try coordinator.addPersistentStore(ofType: .sqlite, at: folder.file("wide.sqlite"))
        }

        let text = try #require(error).description
        #expect(text.contains("an entity, Wide, that, with its subentities, needs 2103 columns"))
        #expect(text.contains("at most 2000 columns"))
        #expect(text.contains("Move attributes to other entities"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test(arguments: everyEngine)
    func `can be saved and read if the engine accepts it`(_ type: StoreType) throws {
        let folder = try TemporaryFolder()
        // As many as SQLite and PostgreSQL accept.
        let count = [StoreType.sqlite: 1_997, "PostgreSQL": 1_500][type] ?? 2_500
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try Self.model(count))
        try coordinator.addPersistentStore(
            ofType: type, at: folder.url(of: type, "wide.store"))

        let found = try ContextHandle(coordinator: coordinator).performAndWait { context in
            _ = try context.insert("Wider", ["a0": 1, "a\(count - 1)": 2])
            try context.save()
            context.reset()
            let object = try context.only("Wider", where: "a\(count - 1) == 2")
            return try object.value(forKey: "a0") as? Int64
        }

        #expect(found == 1)
    }
}
