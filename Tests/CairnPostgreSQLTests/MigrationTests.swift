import Cairn
import CairnPostgreSQL
import CairnStore
import CairnTestSupport
import Foundation
import PostgreSQLStoreSupport
import Synchronization
import Testing

@Suite(.enabled(if: PostgreSQLHarness.database != nil, "CAIRN_POSTGRESQL names no database"))
struct `Migrations` {
    private let database = PostgreSQLHarness.database ?? URL(fileURLWithPath: "/")
    private let schema = "cairn-migration-\(UUID().uuidString.prefix(13))"
    private var url: URL { database.appending(path: schema) }
    private var location: StoreLocation { StoreLocation(url, of: PostgreSQLStore.self) }
    private let registry: StoreRegistry
    private let old: ManagedObjectModel
    private let new: ManagedObjectModel

    init() throws {
        var registry = StoreRegistry.builtIn
        registry.register(PostgreSQLStore.self)
        self.registry = registry
        old = try ManagedObjectModel([
            EntityDescription(
                "Book",
                [
                    .attribute("title", .string), .toOne("author", "Author", inverse: "books"),
                    .toMany("tags", "Tag", inverse: "books"),
                ]),
            EntityDescription(
                "Author",
                [
                    .attribute("name", .string),
                    .toMany("books", "Book", inverse: "author", isOrdered: true),
                ]),
            EntityDescription(
                "Tag", [.attribute("name", .string), .toMany("books", "Book", inverse: "tags")]),
        ])
        var renamed = AttributeDescription("name", .string)
        renamed.renamingIdentifier = "title"
        new = try ManagedObjectModel([
            EntityDescription("Aaa", [.attribute("text", .string)]),
            EntityDescription(
                "Book",
                [
                    .attribute(renamed),
                    .attribute("isbn", .string), .toOne("author", "Author", inverse: "books"),
                    .toMany("tags", "Tag", inverse: "books"),
                ]),
            EntityDescription(
                "Author",
                [
                    .attribute("name", .string),
                    .toMany("books", "Book", inverse: "author", isOrdered: true),
                ]),
            EntityDescription(
                "Tag", [.attribute("name", .string), .toMany("books", "Book", inverse: "tags")]),
        ])
    }

    private func withSchema(_ body: () throws -> Void) throws {
        defer { try? PostgreSQLStore.removeSchemas(beginningWith: schema, from: database) }
        try body()
    }

    private func coordinator(
        _ model: ManagedObjectModel, options: StoreOptions = [:]
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: model, registry: registry)
        try coordinator.addPersistentStore(ofType: "PostgreSQL", at: url, options: options)
        return coordinator
    }

    /// Fills the store, and returns the URIs of the books.
    private func fill(_ coordinator: PersistentStoreCoordinator) throws -> [URL] {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let author = try context.insertNewObject(forEntityName: "Author")
            try author.setValue("Ada", forKey: "name")
            let tag = try context.insertNewObject(forEntityName: "Tag")
            var books: [ManagedObject] = []
            for title in ["Two", "One", "Three"] {
                let book = try context.insertNewObject(forEntityName: "Book")
                try book.setValue(title, forKey: "title")
                try book.setValue(author, forKey: "author")
                books.append(book)
            }
            try tag.setValue(Set(books.prefix(2)), forKey: "books")
            try context.save()
            return books.map { $0.objectID.uriRepresentation() }
        }
    }

    private static let automatic: StoreOptions = [
        .migratesAutomatically: .boolean(true), .infersMappingModel: .boolean(true),
    ]

    /// Returns the names of the books of the only author in their order, and of those with the tag.
    private func names(_ coordinator: PersistentStoreCoordinator) throws -> [[String]] {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let author = try #require(
                try context.fetch(FetchRequest<ManagedObject>("Author")).first)
            let books: OrderedObjects<ManagedObject> = try author.orderedObjects("books")
            let tagged = try context.fetch(
                FetchRequest<ManagedObject>("Book", where: "tags.@count == 1"))
            return try [
                books.map { try $0.value(forKey: "name") as? String ?? "" },
                tagged.map { try $0.value(forKey: "name") as? String ?? "" }.sorted(),
            ]
        }
    }

    @Test func `keep objects, keys, order and the identifier, and tell open handles`() throws {
        try withSchema {
            let before = try coordinator(old)
            let uris = try fill(before)
            let identifier = try PostgreSQLStore.metadata(at: location).identifier
            let waiting = ContextHandle(coordinator: before)
            try waiting.performAndWait { context in
                let book = try #require(
                    try context.fetch(FetchRequest<ManagedObject>("Book")).first)
                try book.setValue("too late", forKey: "title")
            }

            let after = try coordinator(new, options: Self.automatic)

            #expect(try PostgreSQLStore.metadata(at: location).identifier == identifier)
            #expect(try names(after) == [["Two", "One", "Three"], ["One", "Two"]])
            let id = try #require(after.managedObjectID(forURIRepresentation: uris[1]))
            try ContextHandle(coordinator: after).performAndWait { context in
                #expect(
                    try context.existingObject(with: id).value(forKey: "name") as? String == "One")
                try context.insertNewObject(forEntityName: "Aaa").setValue("new", forKey: "text")
                let book = try context.insertNewObject(forEntityName: "Book")
                try context.save()
                #expect(!uris.contains(book.objectID.uriRepresentation()))
            }
            for action in ["save", "read"] {
                let error = #expect(throws: GraphError.self) {
                    try waiting.performAndWait { context in
                        if action == "save" { try context.save() }
                        context.reset()
                        _ = try context.fetch(FetchRequest<ManagedObject>("Author"))
                    }
                }
                guard case .store(.fileReplaced(let replaced, _))? = error else {
                    Issue.record("\(action): \(error as Any)")
                    continue
                }
                #expect(replaced == location)
                #expect(error.map { "\($0)".contains("Another store took the place") } ?? false)
            }
            #expect(try PostgreSQLStore.temporarySchemaCount(at: location) == 0)
        }
    }

    @Test func `run the program's code, before and after a stage, on a copy`() throws {
        try withSchema {
            _ = try fill(try coordinator(old))
            var history = ModelHistory(versions: [
                .init(name: "1", model: old), .init(name: "2", model: new),
            ])
            history.addStage(
                from: old, to: new,
                willMigrate: { context in
                    for book in try context.fetch(FetchRequest<ManagedObject>("Book")) {
                        let title = try book.value(forKey: "title") as? String ?? ""
                        try book.setValue(title.uppercased(), forKey: "title")
                    }
                },
                didMigrate: { context in
                    for book in try context.fetch(FetchRequest<ManagedObject>("Book")) {
                        try book.setValue("isbn", forKey: "isbn")
                    }
                })
            let manager = MigrationManager(
                destinationModel: new, history: history, registry: registry)
            let cancelled = MigrationManager(
                destinationModel: new, history: history, registry: registry)
            cancelled.cancelMigration()
            let error = #expect(throws: GraphError.self) {
                try cancelled.migrateStore(at: url, ofType: "PostgreSQL")
            }
            guard case .copyCancelled(location)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            _ = try manager.rehearseMigration(ofStoreAt: url, ofType: "PostgreSQL")
            #expect(try manager.plan(forStoreAt: url, ofType: "PostgreSQL").isNeeded)

            try manager.migrateStore(at: url, ofType: "PostgreSQL")

            #expect(try !manager.plan(forStoreAt: url, ofType: "PostgreSQL").isNeeded)
            #expect(
                try names(try coordinator(new)) == [["TWO", "ONE", "THREE"], ["ONE", "TWO"]])
            #expect(try PostgreSQLStore.temporarySchemaCount(at: location) == 0)
        }
    }

    @Test func `happen once if many programs begin them, and keep savers away meanwhile`() throws {
        try withSchema {
            let before = try coordinator(old, options: [.timeout: .real(0.1)])
            _ = try fill(before)
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                do {
                    _ = try coordinator(new, options: Self.automatic)
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])

            let placement = try PostgreSQLStore.placement(at: location, replacing: true)
            let after = try coordinator(new, options: [.timeout: .real(0.1)])
            let error = #expect(throws: GraphError.self) {
                try ContextHandle(coordinator: after).performAndWait { context in
                    try context.insertNewObject(forEntityName: "Aaa").setValue("", forKey: "text")
                    try context.save()
                }
            }
            guard case .store(.busy)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            placement.discard()
            #expect(try names(after) == [["Two", "One", "Three"], ["One", "Two"]])
        }
    }

    @Test func `keep the names of saves`() throws {
        try withSchema {
            let store = try PostgreSQLStore.open(OpenRequest(location: location, model: old))
            let (saved, never) = (SaveID(), SaveID())
            let save = try store.beginSave()
            var request = SaveRequest()
            request.id = saved
            request.metadata = ["a": .string("b")]
            try save.prepare(request)
            _ = try save.commit()
            defer { store.close() }

            let after = try coordinator(new, options: Self.automatic)

            let opened = try #require(after.persistentStores.first)
            #expect(try opened.outcome(of: saved) == .saved)
            #expect(try opened.outcome(of: never) == .notSaved)
            #expect(try opened.metadata().values["a"] == .string("b"))
            // A program that lost the answer to its commit asks the handle that it has.
            #expect(try store.outcome(of: saved) == .saved)
            #expect(try store.outcome(of: never) == .notSaved)
        }
    }

    @Test func `let a history begin, which handles of the old store do not take for theirs`() throws
    {
        try withSchema {
            let store = try PostgreSQLStore.open(
                OpenRequest(location: location, model: old, options: [.tracksHistory: true]))
            defer { store.close() }
            let other = "\(schema)-2"
            let otherURL = database.appending(path: other)
            let plain = PersistentStoreCoordinator(managedObjectModel: old, registry: registry)
            try plain.addPersistentStore(ofType: "PostgreSQL", at: otherURL)
            _ = try fill(plain)
            var options = Self.automatic
            options[.tracksHistory] = true

            let after = try coordinator(new, options: options)
            let begun = PersistentStoreCoordinator(managedObjectModel: new, registry: registry)
            try begun.addPersistentStore(ofType: "PostgreSQL", at: otherURL, options: options)

            for coordinator in [after, begun] {
                let opened = try #require(coordinator.persistentStores.first as? any HistoryStore)
                _ = try opened.newestHistoryPosition()
            }
            for (name, call) in [
                ("reading", { _ = try store.history(after: nil, limit: 1) }),
                ("adding", { try store.addHistory([]) }),
                (
                    "purging",
                    { try store.purgeHistory(before: HistoryPosition(number: 1, mark: 1)) }
                ),
            ] as [(String, () throws -> Void)] {
                let error = #expect(throws: StoreError.self) { try call() }
                guard case .fileReplaced(location, _)? = error else {
                    Issue.record("\(name): \(error as Any)")
                    continue
                }
            }
        }
    }
}
