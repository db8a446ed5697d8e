import Cairn
import CairnModel
import CairnPostgreSQL
import CairnStore
import Dispatch
import Foundation
import PostgreSQLStoreSupport
import Synchronization
import Testing

@Suite(.enabled(if: PostgreSQLHarness.database != nil, "CAIRN_POSTGRESQL names no database"))
struct `The history of parallel saves` {
    private let database = PostgreSQLHarness.database ?? URL(fileURLWithPath: "/")

    private func withBooks(_ body: (BookStore, PostgreSQLStore) throws -> Void) throws {
        let books = try BookStore(database)
        defer { try? books.end() }
        let reader = try books.reopened(tracksHistory: true)
        defer { reader.close() }
        try body(books, reader)
    }

    @Test func `waits for a save that may get a smaller number, but for no other transaction`()
        throws
    {
        try withBooks { books, reader in
            let other = try BookStore(database)
            defer { try? other.end() }
            let unrelated = try other.preparedSave(["unrelated"])
            defer { unrelated.rollback() }
            try books.save(["first"])
            let first = try #require(try reader.newestHistoryPosition())
            let slow = try books.preparedSave(["slow"])
            defer { slow.rollback() }
            try books.save(["fast"])

            #expect(try reader.newestHistoryPosition() == first)
            #expect(try reader.history(after: first, limit: 10) == [])
            _ = try slow.commit()

            let later = try reader.history(after: first, limit: 10)
            #expect(later.count == 2)
            #expect(try reader.newestHistoryPosition() == later.last?.position)
        }
    }

    @Test func `is followed without a gap and in one order`() throws {
        try withBooks { books, reader in
            let (saver, store) = (books.saver(), books.store)
            let errors = Mutex<[String]>([])
            let isDone = Atomic(false)
            let savers = DispatchGroup()
            for _ in 0..<6 {
                savers.enter()
                Thread {
                    do {
                        for _ in 0..<25 { try saver.save(1, to: store) }
                    } catch { errors.withLock { $0.append("\(error)") } }
                    savers.leave()
                }.start()
            }
            savers.notify(queue: .global()) { isDone.store(true, ordering: .relaxed) }
            var followed: [HistoryPosition] = []
            while true {
                let wasDone = isDone.load(ordering: .relaxed)
                let page = try reader.history(after: followed.last, limit: 7)
                followed += page.map(\.position)
                if page.isEmpty, wasDone { break }
            }
            #expect(errors.withLock { $0 } == [])
            #expect(followed.count == 150)
            #expect(followed == (try reader.history(after: nil, limit: 1000).map(\.position)))
        }
    }

    @Test func `has the values of deleted objects, also of a handle that was open before it began`()
        throws
    {
        let schema = "cairn-test-\(UUID().uuidString.prefix(13))"
        defer { try? PostgreSQLStore.removeSchemas(beginningWith: schema, from: database) }
        var title = AttributeDescription("title", .string)
        title.preservesValueInHistoryOnDeletion = true
        let model = try ManagedObjectModel([EntityDescription("Book", [.attribute(title)])])
        var registry = StoreRegistry.builtIn
        registry.register(PostgreSQLStore.self)
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: model, registry: registry)
        let url = database.appending(path: schema)
        try coordinator.addPersistentStore(ofType: "PostgreSQL", at: url)
        let context = ContextHandle(coordinator: coordinator)
        try context.performAndWait { context in
            try context.insertNewObject(forEntityName: "Book").setValue("gone", forKey: "title")
            try context.save()
        }
        let reader = try PostgreSQLStore.open(
            OpenRequest(
                location: StoreLocation(url, of: PostgreSQLStore.self), model: model,
                options: [.tracksHistory: true]))
        defer { reader.close() }

        try context.performAndWait { context in
            let book = try #require(try context.fetch(FetchRequest<ManagedObject>("Book")).first)
            try context.delete(book)
            try context.save()
        }

        let transactions = try reader.history(after: nil, limit: 10)
        let change = try #require(transactions.first?.changes.first)
        #expect(transactions.count == 1 && change.tombstone["title"] == .string("gone"))
    }
}
