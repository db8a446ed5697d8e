import CairnMemory
import CairnModel
import Testing

@testable import CairnEngineKit
@testable import CairnRows
@testable import CairnStore

/// A library in memory.
private struct Library {
    private let store: InMemoryStore
    private let model: ManagedObjectModel

    /// Distributes the books evenly among the authors. Every tenth author has the name `n3`.
    init(authorCount: Int64, bookCount: Int64) throws {
        var author = EntityDescription(
            "Author", [.attribute("name", .string), .toMany("books", "Book", inverse: "author")])
        author.fetchIndexes = [.init("byName", elements: [.init("name")])]
        model = try ManagedObjectModel([
            EntityDescription(
                "Book",
                [.attribute("pages", .integer32), .toOne("author", "Author", inverse: "books")]),
            author,
        ])
        store = try InMemoryStore.open(OpenRequest(location: .memory("related"), model: model))
        var batch = RowBatch()
        for key in 1...authorCount {
            batch.append(try row("Author", key, ["name": .string("n\(key % 10)")]))
        }
        for key in 1...bookCount {
            let author = try id("Author", key % authorCount + 1)
            batch.append(
                try row("Book", key, ["pages": .integer(key), "author": .objectID(author)]))
        }
        let save = try store.beginSave()
        try save.prepare(SaveRequest(inserted: batch))
        _ = try save.commit()
    }

    private func id(_ name: String, _ key: Int64) throws -> ObjectID {
        let entity = try #require(model.entity(named: name))
        return ObjectID(
            store: store.number, rootEntity: entity.number, entity: entity.number, key: key)
    }

    private func row(_ name: String, _ key: Int64, _ values: [String: Value]) throws -> RowBatch {
        let layout = store.request.layouts.layout(of: try #require(model.entity(named: name)))
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: key, version: 1)
        for (property, slot) in zip(layout.properties, layout.slots) {
            try writer.set(values[property.name] ?? .null, at: slot, of: layout)
        }
        writer.endRow()
        return writer.takeBatch()
    }

    func plan(_ name: String, _ text: String, limit: Int? = nil) throws -> FetchPlan {
        let entity = try #require(model.entity(named: name))
        return FetchPlan(
            entity: entity, predicate: try FetchPredicate(format: text).bound(to: entity),
            limit: limit)
    }

    func scan(_ plan: FetchPlan) throws -> RowScan {
        try RowScan(plan, on: try #require(try store.snapshot() as? ContentSnapshot))
    }
}

/// The number of rows that a fetch tests.
@Suite struct `In-memory scans through relationships` {
    @Test(arguments: [
        // Few books of few authors match: the authors' index and the inverse relationship find them.
        ("Book", "author.name == 'n3' AND pages > 0", 100, 100),
        ("Author", "ANY books.pages == 17", 1, 1),
        // Many books match: every book is tested by the key of its author alone.
        ("Book", "author.name != 'n3'", 900, 1000),
        ("Book", "author.name BEGINSWITH 'n'", 1000, 1000),
        ("Author", "books.@count == 10", 100, 100), ("Author", "NONE books.pages > 990", 90, 100),
    ])
    func `test only rows that the other end names, or each row by its own values`(
        _ entity: String, _ text: String, _ matchCount: Int, _ testedCount: Int
    ) throws {
        let library = try Library(authorCount: 100, bookCount: 1000)
        var scan = try library.scan(try library.plan(entity, text))

        let found = try scan.next(atMost: .max).count

        #expect(!scan.followsRelationships)
        #expect(found == matchCount)
        #expect(scan.testedCount == testedCount)
    }

    @Test(arguments: [1, 7, 300])
    func `return the rows that the other end names in batches of any size`(_ most: Int) throws {
        let library = try Library(authorCount: 10, bookCount: 8000)
        var scan = try library.scan(try library.plan("Book", "author.name == 'n3' AND pages > 20"))
        var found: [Int64] = []

        while case let batch = try scan.next(atMost: most), !batch.isEmpty {
            #expect(batch.count <= most)
            found += batch.ids.map(\.key)
        }

        #expect(found == (21...8000).filter { ($0 % 10 + 1) % 10 == 3 })
        #expect(scan.testedCount == 800)
    }

    @Test(arguments: [
        // By an index, by testing each row, and by following relationships from each row.
        ("Book", "author.name == 'n3'", 100), ("Book", "pages <= 30", 30),
        ("Book", "author.name MATCHES 'n[3]'", 100),
        ("Book", "author.books.@sum.pages > 5000", 500),
    ])
    func `visit each match without copying it`(
        _ entity: String, _ text: String, _ matchCount: Int
    ) throws {
        let library = try Library(authorCount: 100, bookCount: 1000)
        let plan = try library.plan(entity, text)
        var (listing, visiting) = (try library.scan(plan), try library.scan(plan))
        var keys: [Int64] = []

        try visiting.forEach { keys.append($0.key) }

        #expect(keys == (try listing.next(atMost: .max)).ids.map(\.key))
        #expect(keys.count == matchCount)
    }

    @Test func `follow relationships for few matches, and use the other end for many`() throws {
        let library = try Library(authorCount: 2000, bookCount: 4000)
        let plan = try library.plan("Book", "author.name ENDSWITH '3'", limit: 1)
        var scan = try library.scan(plan)

        _ = try scan.next(atMost: 1)
        let followsForOne = scan.followsRelationships
        _ = try scan.next(atMost: .max)

        #expect(followsForOne)
        #expect(!scan.followsRelationships)
    }
}
