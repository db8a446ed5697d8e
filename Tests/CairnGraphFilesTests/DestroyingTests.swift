import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

@Suite struct `Destroying a store of a coordinator` {
    private let folder: TemporaryFolder
    private let file: URL
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        folder = try TemporaryFolder()
        file = folder.file("Library.sqlite")
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel([EntityDescription("Book")]))
    }

    @Test func `leaves nothing, unless the store is open`() throws {
        let store = try coordinator.addPersistentStore(ofType: .sqlite, at: file)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            _ = try context.insertNewObject(forEntityName: "Book")
            try context.save()
        }

        let whileOpen = try graphError {
            try coordinator.destroyPersistentStore(at: file, ofType: .sqlite)
        }
        let isThere = FileManager.default.fileExists(atPath: file.path)
        try coordinator.remove(store)
        try coordinator.destroyPersistentStore(at: file, ofType: .sqlite)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        let again = try graphError {
            try coordinator.destroyPersistentStore(at: file, ofType: .sqlite)
        }

        guard case .storeAlreadyAdded? = whileOpen, case .store(.notFound)? = again else {
            Issue.record("open: \(whileOpen as Any), again: \(again as Any)")
            return
        }
        #expect(isThere)
        #expect(left == [])
    }

    @Test func `does not remove a file that is not a store`() throws {
        try Data("a letter".utf8).write(to: file)

        let error = try graphError {
            try coordinator.destroyPersistentStore(at: file, ofType: .sqlite)
        }

        guard case .store(.notAStore)? = error else {
            Issue.record("not said to be no store: \(error as Any)")
            return
        }
        #expect(try Data(contentsOf: file) == Data("a letter".utf8))
    }
}
