import CairnModel
import CairnPostgreSQL
import CairnRows
import CairnStore
import Foundation

/// A store of books and authors that is reached through a proxy, for tests of connections.
package final class BookStore {
    package let proxy: PostgresProxy
    package let store: PostgreSQLStore
    package let book: Entity
    package let author: Entity
    private let database: URL
    private let schema = "cairn-test-\(UUID().uuidString.prefix(13))"

    package init(_ database: URL) throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                "Author",
                [.attribute("name", .string), .toMany("books", "Book", inverse: "author")]),
            EntityDescription(
                "Book",
                [.attribute("title", .string), .toOne("author", "Author", inverse: "books")]),
        ])
        self.database = database
        proxy = try PostgresProxy(database)
        (author, book) = (model.entities[0], model.entities[1])
        let location = try Self.location(database, port: proxy.port, schema)
        store = try PostgreSQLStore.open(OpenRequest(location: location, model: model))
    }

    /// Opens the store again, as another machine would.
    package func reopened(
        timeout: Double = 5, tracksHistory: Bool = false
    ) throws -> PostgreSQLStore {
        try PostgreSQLStore.open(
            OpenRequest(
                location: try Self.location(database, schema), model: store.request.model,
                options: [.timeout: .real(timeout), .tracksHistory: .boolean(tracksHistory)]))
    }

    /// Returns a value that saves books on any thread.
    package func saver() -> BookSaver { BookSaver(book: book) }

    /// Returns the number of rows in one of the engine's own tables.
    package func rowCount(of table: String) throws -> Int {
        try PostgreSQLStore.rowCount(of: table, inSchema: schema, of: database)
    }

    /// Returns the location of a schema, reached by another port or with another password.
    package static func location(
        _ database: URL, port: Int? = nil, password: String? = nil, _ schema: String
    ) throws -> StoreLocation {
        var parts = URLComponents(
            url: database.appending(path: schema), resolvingAgainstBaseURL: false)
        if let port { parts?.port = port }
        if let password { parts?.password = password }
        guard let service = parts?.url.flatMap(ServiceLocation.init) else {
            throw POSIXError(.EINVAL)
        }
        return .service(service)
    }

    package func end() throws {
        store.close()
        proxy.stop()
        try PostgreSQLStore.removeSchemas(beginningWith: schema, from: database)
    }

    /// Begins and prepares a save of new books of a new author.
    package func preparedSave(_ titles: [String], name: SaveID? = nil) throws -> any SaveTransaction
    {
        let begun = try store.beginSave(reserving: [book.number: titles.count, author.number: 1])
        let layouts = store.request.layouts
        var writer = RowWriter(store: store.number)
        let authorKey = begun.keys[author.number]?.lowerBound ?? 0
        writer.begin(layouts.layout(of: author), key: authorKey, version: 1)
        writer.endRow()
        let layout = layouts.layout(of: book)
        for (key, title) in zip(begun.keys[book.number] ?? 0..<0, titles) {
            writer.begin(layout, key: key, version: 1)
            for slot in layout.slots {
                if slot.kind == .string {
                    try writer.set(title, at: slot)
                } else {
                    writer.set(key: authorKey, entity: author.number, at: slot)
                }
            }
            writer.endRow()
        }
        var request = SaveRequest(inserted: writer.takeBatch())
        request.id = name
        try begun.transaction.prepare(request)
        return begun.transaction
    }

    package func save(_ titles: [String], name: SaveID? = nil) throws {
        let save = try preparedSave(titles, name: name)
        defer { save.rollback() }
        _ = try save.commit()
    }

    /// Waits until everything that was sent so far has been answered, also the end of snapshots.
    package func settle() throws { _ = try store.newestGeneration() }

    /// The ID of the book that is saved first.
    package var firstBook: ObjectID {
        ObjectID(store: store.number, rootEntity: book.number, entity: book.number, key: 1)
    }

    /// The number of books.
    package func count() throws -> Int? {
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        return try snapshot.count(FetchPlan(entity: book))
    }
}
