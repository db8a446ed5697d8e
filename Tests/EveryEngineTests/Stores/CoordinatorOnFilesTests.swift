import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// A coordinator with real files, alone and together with an in-memory store.
@Suite struct `Coordinator on files` {
    private let folder: TemporaryFolder
    private let model: ManagedObjectModel
    private let file: URL

    init() throws {
        folder = try TemporaryFolder()
        file = folder.file("Library.sqlite")
        var description = ModelDescription([
            EntityDescription(
                "Book",
                [
                    .attribute("title", .string, isOptional: false),
                    .attribute("pages", .integer32),
                    .toOne("author", "Author", inverse: "books"),
                ]),
            EntityDescription(
                "Author",
                [.attribute("name", .string), .toMany("books", "Book", inverse: "author")]),
        ])
        description.configurations = [
            "Disk": ["Author", "Book"], "Memory": ["Author", "Book"], "Nothing": [],
        ]
        model = try ManagedObjectModel(description)
    }

    private func coordinator() -> PersistentStoreCoordinator {
        PersistentStoreCoordinator(managedObjectModel: model)
    }

    private func insert(
        _ titles: [String], into store: (any PersistentStore)? = nil,
        _ coordinator: PersistentStoreCoordinator
    ) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for (index, title) in titles.enumerated() {
                let book = try context.insertNewObject(forEntityName: "Book")
                try book.setValue(title, forKey: "title")
                try book.setValue(Int32(index), forKey: "pages")
                if let store { try context.assign(book, to: store) }
            }
            try context.save()
        }
    }

    private func titles(
        _ coordinator: PersistentStoreCoordinator, ascending: Bool = true, limit: Int? = nil
    ) throws -> [String] {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var request = FetchRequest<ManagedObject>("Book")
            request.sortDescriptors = [FetchSortDescriptor("title", ascending: ascending)]
            request.fetchLimit = limit ?? 0
            return try context.fetch(request).map { try $0.value(forKey: "title") as? String ?? "" }
        }
    }

    @Test(arguments: everyFileEngine)
    func `finds an object that another coordinator has just saved`(_ type: StoreType) throws {
        let file = folder.file("shared.store")
        let reader = coordinator()
        try reader.addPersistentStore(ofType: type, at: file)
        let writer = coordinator()
        try writer.addPersistentStore(ofType: type, at: file)
        for round in 1...20 {
            // The reader knows a state without the objects, and may read it again for a moment.
            try ContextHandle(coordinator: reader).performAndWait { context in
                let missing = ObjectID(
                    store: reader.persistentStores[0].number, rootEntity: EntityNumber(1),
                    entity: EntityNumber(1), key: 1_000_000)
                #expect(throws: GraphError.self) { try context.existingObject(with: missing) }
            }
            let ids = try ContextHandle(coordinator: writer).performAndWait { context in
                let books = try (0..<2).map { _ in
                    try context.insert("Book", ["title": "new"])
                }
                try context.save()
                return books.map { $0.objectID.uriRepresentation() }
            }

            try ContextHandle(coordinator: reader).performAndWait { context in
                let found = try ids.map { uri in
                    let id = try #require(reader.managedObjectID(forURIRepresentation: uri))
                    return try context.object(with: id)
                }
                try context.fireFaults(of: round.isMultiple(of: 2) ? found : [found[0]])
                let title = try found[0].value(forKey: "title") as? String
                #expect(title == "new")
            }
        }
    }

    @Test func `merges a file and a store in memory into one answer`() throws {
        let coordinator = coordinator()
        let disk = try coordinator.addPersistentStore(
            ofType: .sqlite, configurationName: "Disk", at: file)
        let memory = try coordinator.addPersistentStore(
            ofType: .inMemory, configurationName: "Memory")
        try insert(["a", "c", "e"], into: disk, coordinator)
        try insert(["b", "d", "f"], into: memory, coordinator)

        let all = try titles(coordinator)
        let last = try titles(coordinator, ascending: false, limit: 2)
        try coordinator.remove(memory)
        let left = try titles(coordinator)

        #expect(all == ["a", "b", "c", "d", "e", "f"])
        #expect(last == ["f", "e"])
        #expect(left == ["a", "c", "e"])
    }

    @Test func `saves to both stores or to neither`() throws {
        let coordinator = coordinator()
        let stores = [
            try coordinator.addPersistentStore(
                ofType: .sqlite, configurationName: "Disk", at: file),
            try coordinator.addPersistentStore(ofType: .inMemory, configurationName: "Memory"),
        ]
        for store in stores { try insert(["old"], into: store, coordinator) }

        let error = try ContextHandle(coordinator: coordinator).performAndWait {
            context -> GraphError? in
            let books: [ManagedObject] = Array(try context.fetch(FetchRequest("Book")))
            for book in books { try book.setValue("new", forKey: "title") }
            // The object on disk is changed elsewhere in the meantime.
            try changeElsewhere()
            do throws(GraphError) {
                try context.save()
                return nil
            } catch {
                return error
            }
        }

        guard case .mergeConflicts(let conflicts)? = error else {
            Issue.record("not refused as a conflict: \(String(describing: error))")
            return
        }
        #expect(conflicts.map(\.objectID.store) == [stores[0].number])
        #expect(Set(try titles(coordinator)) == ["elsewhere", "old"])
    }

    /// Changes the book on disk through another stack with the same file.
    private func changeElsewhere() throws {
        let other = coordinator()
        try other.addPersistentStore(ofType: .sqlite, configurationName: "Disk", at: file)
        try ContextHandle(coordinator: other).performAndWait { context in
            for book in try context.fetch(FetchRequest<ManagedObject>("Book")) {
                try book.setValue("elsewhere", forKey: "title")
            }
            try context.save()
        }
    }

    @Test func `shows what another stack saved to the same file`() throws {
        let coordinator = coordinator()
        try coordinator.addPersistentStore(
            ofType: .sqlite, configurationName: "Disk", at: file)
        try insert(["old"], coordinator)
        let before = try titles(coordinator)

        try changeElsewhere()

        #expect(before == ["old"])
        #expect(try titles(coordinator) == ["elsewhere"])
    }

    @Test func `refuses one file under two names, and a copy beside its original`() throws {
        let coordinator = coordinator()
        let store = try coordinator.addPersistentStore(ofType: .sqlite, at: file)
        try insert(["a"], coordinator)
        let link = folder.file("Link.sqlite")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)

        let isFound = coordinator.persistentStore(for: link) === store
        let linkError = failure { try coordinator.addPersistentStore(ofType: .sqlite, at: link) }
        try coordinator.remove(store)
        let copy = folder.file("Copy.sqlite")
        try FileManager.default.copyItem(at: file, to: copy)
        try coordinator.addPersistentStore(ofType: .sqlite, at: file)
        let copyError = failure { try coordinator.addPersistentStore(ofType: .sqlite, at: copy) }

        #expect(isFound)
        guard case .storeAlreadyAdded? = linkError, case .storeIdentifierTaken? = copyError else {
            Issue.record("link: \(linkError as Any), copy: \(copyError as Any)")
            return
        }
        #expect(coordinator.persistentStores.count == 1)
        #expect(try titles(coordinator) == ["a"])
    }

    @Test func `reads but does not write a read-only store`() throws {
        let writer = coordinator()
        try insert(
            ["a"], into: try writer.addPersistentStore(ofType: .sqlite, at: file), writer)
        try writer.remove(try #require(writer.persistentStores.first))
        let reader = coordinator()
        let store = try reader.addPersistentStore(
            ofType: .sqlite, at: file, options: [.readOnly: true])

        let error = failure { try insert(["b"], reader) }

        guard case .store(.readOnly)? = error else {
            Issue.record("not refused as read-only: \(error as Any)")
            return
        }
        #expect(store.isReadOnly)
        #expect(try titles(reader) == ["a"])
    }

    @Test func `keeps metadata in the file, and reads it without opening the store`() throws {
        let coordinator = coordinator()
        let store = try coordinator.addPersistentStore(ofType: .sqlite, at: file)
        try coordinator.setMetadata(["mood": "fine"], for: store)
        try coordinator.remove(store)

        let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(
            ofType: .sqlite, at: file)

        #expect(metadata.values["mood"] == .string("fine"))
        #expect(metadata.entityVersionHashes == model.entityVersionHashes)
        #expect(StoreRegistry.builtIn.engine(recognizing: .file(file)) == SQLiteStore.self)
    }

    @Test(arguments: everyFileEngine)
    func `creates a container's own directory, and no other folder`(_ type: StoreType) async throws
    {
        let (own, misspelt) = (folder.file("own"), folder.file("onw"))
        let container = PersistentContainer(
            name: "Library", managedObjectModel: model, directory: own)
        container.persistentStoreDescriptions = [own, misspelt].map {
            PersistentStoreDescription(type: type, url: $0.appending(path: "Library.store"))
        }

        await #expect {
            try await container.loadPersistentStores()
        } throws: { error in
            if case GraphError.store(.folderMissing(_, folder: let folder)) = error {
                folder.lastPathComponent == "onw"
            } else {
                false
            }
        }

        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["own"])
        #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    }

    @Test func `keeps a SQLite store at dev null in memory`() throws {
        let container = PersistentContainer(
            name: "Library", managedObjectModel: model, directory: folder.url)
        container.persistentStoreDescriptions = [
            PersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        ]
        container.loadPersistentStores { _, error in
            if let error { Issue.record(error) }
        }

        try insert(["a"], container.persistentStoreCoordinator)

        #expect(try titles(container.persistentStoreCoordinator) == ["a"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    private func failure<Result>(_ body: () throws -> Result) -> GraphError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? GraphError
        }
    }
}
