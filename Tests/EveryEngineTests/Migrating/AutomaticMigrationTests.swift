import Cairn
import CairnTestSupport
import GraphSupport
import MigrationSupport
import Foundation
import Testing

/// Stores that are migrated when a coordinator or a container opens them.
@Suite struct `Automatic migration` {
    private static let both: StoreOptions = [
        .migratesAutomatically: .boolean(true), .infersMappingModel: .boolean(true),
    ]

    /// The library with a renamed attribute, a new attribute, and an entity whose name sorts first.
    private static let later =
        ChangeCase.library.changing("Book") {
            $0.properties.removeAll { $0.name == "title" }
            $0.properties.append(.attribute(.renamed("name", .string, from: "title")))
            $0.properties.append(.attribute("isbn", .string))
        } + [EntityDescription("Aaa", [.attribute("text", .string)])]

    private let folder: TemporaryFolder
    private var url: URL { folder.file("library.db") }

    init() throws { folder = try TemporaryFolder() }

    private func model(_ entities: [EntityDescription]) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities)
    }

    /// Creates a store with two books by one author, and returns the URI of the first book.
    private func makeStore(_ type: StoreType, at url: URL) throws -> URL {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try model(ChangeCase.library))
        let store = try coordinator.addPersistentStore(ofType: type, at: url)
        let uri = try ContextHandle(source: coordinator).performAndWait { context in
            let author = try context.insertNewObject(forEntityName: "Author")
            try author.setValue("Ada", forKey: "name")
            var books: [ManagedObject] = []
            for title in ["One", "Two"] {
                let book = try context.insertNewObject(forEntityName: "Book")
                try book.setValue(title, forKey: "title")
                try book.setValue(author, forKey: "author")
                books.append(book)
            }
            try context.save()
            return books[0].objectID.uriRepresentation()
        }
        try coordinator.remove(store)
        return uri
    }

    private func titles(
        _ coordinator: PersistentStoreCoordinator, _ key: String
    ) throws -> [String] {
        try ContextHandle(source: coordinator).performAndWait { context in
            try context.fetch(FetchRequest<ManagedObject>("Book")).compactMap {
                try $0.value(forKey: key) as? String
            }.sorted()
        }
    }

    @Test(arguments: everyFileEngine)
    func `with both options migrates the store when it is added`(_ type: StoreType) throws {
        let uri = try makeStore(type, at: url)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model(Self.later))

        try coordinator.addPersistentStore(ofType: type, at: url, options: Self.both)

        #expect(try titles(coordinator, "name") == ["One", "Two"])
        let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
        try ContextHandle(source: coordinator).performAndWait { context in
            let book = try context.existingObject(with: id)
            #expect(try book.value(forKey: "name") as? String == "One")
            let author = try #require(try book.value(forKey: "author") as? ManagedObject)
            #expect(try author.value(forKey: "name") as? String == "Ada")
            // An object of the new entity.
            try context.insertNewObject(forEntityName: "Aaa").setValue("new", forKey: "text")
            try context.save()
        }
    }

    @Test(arguments: everyFileEngine)
    func `without the options refuses the store and leaves it unchanged`(_ type: StoreType) throws {
        _ = try makeStore(type, at: url)
        let before = try Data(contentsOf: url)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model(Self.later))

        for options: StoreOptions in [[:], [.infersMappingModel: .boolean(true)]] {
            let error = #expect(throws: GraphError.self) {
                try coordinator.addPersistentStore(ofType: type, at: url, options: options)
            }
            guard case .store(.modelMismatch)? = error else {
                Issue.record("refused with \(String(describing: error))")
                return
            }
        }
        let inferring = #expect(throws: GraphError.self) {
            try coordinator.addPersistentStore(
                ofType: type, at: url, options: [.migratesAutomatically: .boolean(true)])
        }
        guard case .store(.mappingModelNeeded)? = inferring else {
            Issue.record("refused with \(String(describing: inferring))")
            return
        }
        #expect((inferring as NSError?)?.code == 134_140)
        #expect(try Data(contentsOf: url) == before)
    }

    @Test(arguments: everyFileEngine)
    func `refuses a change that cannot be inferred, with every reason`(_ type: StoreType) throws {
        _ = try makeStore(type, at: url)
        let before = try Data(contentsOf: url)
        let changed = ChangeCase.library.changing("Book") {
            $0.properties.removeAll { ["title", "cover"].contains($0.name) }
            $0.properties.append(.attribute("title", .integer32))
            $0.properties.append(.attribute("cover", .string))
        }
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model(changed))

        let error = #expect(throws: GraphError.self) {
            try coordinator.addPersistentStore(ofType: type, at: url, options: Self.both)
        }

        guard case .store(.migrationRefused(_, let findings))? = error else {
            Issue.record("refused with \(String(describing: error))")
            return
        }
        #expect(
            findings.map { "\($0.entity).\($0.property ?? "")" } == ["Book.cover", "Book.title"])
        #expect((error as NSError?)?.code == 134_190)
        #expect(try Data(contentsOf: url) == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
                .filter { $0.hasPrefix(".") } == [])
    }

    @Test(arguments: everyFileEngine)
    func `does not migrate a store that is open elsewhere`(_ type: StoreType) throws {
        _ = try makeStore(type, at: url)
        let user = PersistentStoreCoordinator(managedObjectModel: try model(ChangeCase.library))
        let used = try user.addPersistentStore(ofType: type, at: url)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model(Self.later))

        let error = #expect(throws: GraphError.self) {
            try coordinator.addPersistentStore(ofType: type, at: url, options: Self.both)
        }

        guard case .store(.locked)? = error else {
            Issue.record("refused with \(String(describing: error))")
            return
        }
        #expect(try titles(user, "title") == ["One", "Two"])
        try user.remove(used)
        try coordinator.addPersistentStore(ofType: type, at: url, options: Self.both)
        #expect(try titles(coordinator, "name") == ["One", "Two"])
    }

    @Test(arguments: everyFileEngine)
    func `does not migrate a store that is opened for reading`(_ type: StoreType) throws {
        _ = try makeStore(type, at: url)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model(Self.later))
        let options = Self.both.merging([.readOnly: .boolean(true)]) { $1 }

        let error = #expect(throws: GraphError.self) {
            try coordinator.addPersistentStore(ofType: type, at: url, options: options)
        }

        guard case .store(.modelMismatch)? = error else {
            Issue.record("refused with \(String(describing: error))")
            return
        }
    }

    @Test(arguments: everyFileEngine)
    func `tells an older program that the store is newer`(_ type: StoreType) throws {
        _ = try makeStore(type, at: url)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model(Self.later))
        let store = try coordinator.addPersistentStore(ofType: type, at: url, options: Self.both)
        try coordinator.remove(store)
        let older = PersistentStoreCoordinator(managedObjectModel: try model(ChangeCase.library))

        let error = #expect(throws: GraphError.self) {
            try older.addPersistentStore(ofType: type, at: url)
        }

        #expect("\(String(describing: error))".contains("newer"))
    }

    /// Creates a store that a program of the later version has used.
    private func makeMigratedStore(_ type: StoreType) throws {
        _ = try makeStore(type, at: url)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model(Self.later))
        let store = try coordinator.addPersistentStore(ofType: type, at: url, options: Self.both)
        try coordinator.remove(store)
    }

    @Test(arguments: everyFileEngine)
    func `leaves a newer store unchanged when an older program opens it`(
        _ type: StoreType
    ) async throws {
        try makeMigratedStore(type)
        let bytes = try Data(contentsOf: url)
        let older = PersistentContainer(
            name: "Library", managedObjectModel: try model(ChangeCase.library))
        older.persistentStoreDescriptions = [PersistentStoreDescription(type: type, url: url)]

        let error = await #expect(throws: GraphError.self) {
            try await older.loadPersistentStores()
        }

        #expect("\(String(describing: error))".contains("newer version of the program"))
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test(arguments: everyFileEngine)
    func `may go back to an older version if the program has both`(_ type: StoreType) throws {
        try makeMigratedStore(type)
        let (earlier, later) = (try model(ChangeCase.library), try model(Self.later))
        let back = PersistentStoreCoordinator(managedObjectModel: earlier)
        back.setModelHistory {
            ModelHistory(versions: [
                ModelHistory.Version(name: "1", model: earlier),
                ModelHistory.Version(name: "2", model: later),
            ])
        }

        try back.addPersistentStore(ofType: type, at: url, options: Self.both)

        #expect(try titles(back, "title") == ["One", "Two"])
    }

    @Test(arguments: everyFileEngine)
    func `is done by a container without any options, three times in a row`(
        _ type: StoreType
    ) async throws {
        _ = try makeStore(type, at: url)
        for _ in 1...3 {
            let container = PersistentContainer(
                name: "Library", managedObjectModel: try model(Self.later))
            container.persistentStoreDescriptions = [
                PersistentStoreDescription(type: type, url: url)
            ]

            try await container.loadPersistentStores()

            #expect(
                try titles(container.persistentStoreCoordinator, "name") == ["One", "Two"])
        }
    }

    @Test func `migrates several stores together or not at all`() async throws {
        let second = folder.file("second.db")
        for url in [url, second] { _ = try makeStore(.sqlite, at: url) }
        // Two objects of the second store violate a new constraint.
        let changed = ChangeCase.library.changing("Author") {
            $0.uniquenessConstraints = [["name"]]
        }
        try addAuthor("Ada", toStoreAt: second)
        let container = PersistentContainer(
            name: "Library", managedObjectModel: try model(changed))
        container.persistentStoreDescriptions = [url, second].map {
            PersistentStoreDescription(type: .sqlite, url: $0)
        }

        let error = await #expect(throws: GraphError.self) {
            try await container.loadPersistentStores()
        }

        guard case .loading(let failures)? = error else {
            Issue.record("refused with \(String(describing: error))")
            return
        }
        #expect(failures.count == 2)
        for failure in failures {
            #expect("\(failure.reason)".contains("second.db"))
            #expect("\(failure.reason)".contains("Author"))
        }
        let old = try model(ChangeCase.library).entityVersionHashes
        for url in [url, second] {
            #expect(try SQLiteStore.metadata(at: .file(url)).entityVersionHashes == old)
        }
        try addAuthor(nil, toStoreAt: second)
        try await container.loadPersistentStores()
        #expect(container.persistentStoreCoordinator.persistentStores.count == 2)
    }

    @Test(arguments: everyFileEngine, [false, true])
    func `migrates no store if another one cannot be opened`(
        _ type: StoreType, isAsynchronous: Bool
    ) async throws {
        _ = try makeStore(type, at: url)
        let broken = folder.file("broken.db")
        try Data("Dear diary,".utf8).write(to: broken)
        let container = PersistentContainer(
            name: "Library", managedObjectModel: try model(Self.later))
        container.persistentStoreDescriptions = [url, broken].map {
            PersistentStoreDescription(type: type, url: $0)
        }

        var failures: [String: String] = [:]
        if isAsynchronous {
            let error = await #expect(throws: GraphError.self) {
                try await container.loadPersistentStores()
            }
            guard case .loading(let found)? = error else {
                Issue.record("refused with \(String(describing: error))")
                return
            }
            for failure in found {
                failures[failure.description.url?.lastPathComponent ?? ""] = "\(failure.reason)"
            }
        } else {
            container.loadPersistentStores { description, failure in
                failures[description.url?.lastPathComponent ?? ""] = failure.map { "\($0)" }
            }
        }

        #expect(Set(failures.keys) == ["library.db", "broken.db"])
        #expect(failures.values.allSatisfy { $0.contains("broken.db") })
        let engine = try StoreRegistry.builtIn.fileEngine(ofType: type, for: .file(url))
        let old = try model(ChangeCase.library).entityVersionHashes
        #expect(try engine.metadata(at: .file(url)).entityVersionHashes == old)
        try FileManager.default.removeItem(at: broken)
        try await container.loadPersistentStores()
        #expect(try titles(container.persistentStoreCoordinator, "name") == ["One", "Two"])
    }

    /// Adds an author with the given name, or removes all authors if the name is `nil`.
    private func addAuthor(_ name: String?, toStoreAt url: URL) throws {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try model(ChangeCase.library))
        let store = try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        try ContextHandle(source: coordinator).performAndWait { context in
            if let name {
                try context.insertNewObject(forEntityName: "Author").setValue(name, forKey: "name")
            } else {
                for author in try context.fetch(FetchRequest<ManagedObject>("Author")) {
                    try context.delete(author)
                }
            }
            try context.save()
        }
        try coordinator.remove(store)
    }
}
