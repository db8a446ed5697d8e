import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

@Suite struct `A stack` {
    @Test(arguments: everyEngine)
    func `with an empty model opens, saves and opens again`(_ type: StoreType) throws {
        let folder = try TemporaryFolder()
        let url = folder.url(of: type, "empty.store")
        for _ in 0..<2 {
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: try ManagedObjectModel([]))
            try coordinator.addPersistentStore(ofType: type, at: url)
            try ContextHandle(coordinator: coordinator).performAndWait { context throws in
                #expect(context.managedObjectModel.entities.isEmpty)
                #expect(!context.hasChanges)
                try context.save()
                #expect(throws: GraphError.self) { try context.insertNewObject(forEntityName: "A") }
            }
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
    }

    @Test func `with an empty model is loaded by a container`() throws {
        let folder = try TemporaryFolder()
        let container = PersistentContainer(
            name: "Empty", managedObjectModel: try ManagedObjectModel([]), directory: folder.url)
        nonisolated(unsafe) var failures: [GraphError?] = []
        container.loadPersistentStores { failures.append($1) }

        #expect(failures.count == 1)
        #expect(failures.compactMap { $0 }.isEmpty)
    }

    @Test(arguments: everyFileEngine)
    func `over a store of an incompatible model has Core Data's code 134100`(
        _ type: StoreType
    ) throws {
        let folder = try TemporaryFolder()
        let url = folder.file("library.store")
        let first = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel([
                EntityDescription("A", [.attribute("name", .string)])
            ]))
        try first.addPersistentStore(ofType: type, at: url)
        for store in first.persistentStores { try first.remove(store) }
        let second = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel([
                EntityDescription("A", [.attribute("name", .integer64)])
            ]))

        let error = #expect(throws: GraphError.self) {
            try second.addPersistentStore(ofType: type, at: url)
        }

        #expect(error?.code == 134_100)
    }

    @Test(
        arguments: [("XML", "SQLite"), ("SQLite", "XML"), ("Binary", "LMDB"), ("SQLite", "Binary")]
            as [(StoreType, StoreType)])
    func `over a store of another type has Core Data's code 134010`(
        _ written: StoreType, _ asked: StoreType
    ) throws {
        let folder = try TemporaryFolder()
        let url = folder.file("library.store")
        let model = try ManagedObjectModel(Library.entities)
        let first = PersistentStoreCoordinator(managedObjectModel: model)
        try first.addPersistentStore(ofType: written, at: url)
        for store in first.persistentStores { try first.remove(store) }

        let error = #expect(throws: GraphError.self) {
            try PersistentStoreCoordinator(managedObjectModel: model)
                .addPersistentStore(ofType: asked, at: url)
        }

        #expect(error?.code == 134_010)
    }
}
