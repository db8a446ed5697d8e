import CairnMemory
import CairnModel
import CairnRows
import CairnStore
import Testing

@Suite struct `In-memory store` {
    let model: ManagedObjectModel

    init() throws {
        model = try ManagedObjectModel([
            EntityDescription(
                "Book",
                [.attribute("title", .string), .toOne("author", "Author", inverse: "books")]),
            EntityDescription(
                "Author",
                [.attribute("name", .string), .toMany("books", "Book", inverse: "author")]),
        ])
    }

    private func open() throws -> InMemoryStore {
        try InMemoryStore.open(OpenRequest(location: .memory("library"), model: model))
    }

    @Test func `is new and empty each time it is opened`() throws {
        let first = try open()
        let second = try open()

        #expect(try first.metadata().identifier != second.metadata().identifier)
        #expect(first.number != second.number)
        #expect(try second.entityCounts() == ["Author": 0, "Book": 0])
    }

    @Test func `returns what was saved`() throws {
        let store = try open()
        let layout = store.request.layouts.layout(of: try #require(model.entity(named: "Author")))
        let save = try store.beginSave()
        let keys = try save.reserveKeys([layout.entity.number: 3])
        var writer = RowWriter(store: store.number)
        for key in try #require(keys[layout.entity.number]) {
            writer.begin(layout, key: key, version: 1)
            try writer.set("Author \(key)", at: try #require(layout.slot(named: "name")))
            writer.endRow()
        }

        try save.prepare(SaveRequest(inserted: writer.takeBatch()))
        let before = try store.snapshot()
        _ = try save.commit()
        let after = try store.snapshot()

        let plan = FetchPlan(entity: layout.entity)
        let none = try before.cursor(plan).next(atMost: 10)
        #expect(none.map(\.count) == nil)
        let batch = try #require(try after.cursor(plan).next(atMost: 10))
        #expect(batch.ids.map(\.key) == [1, 2, 3])
    }

    @Test func `refuses options that it does not know`() throws {
        #expect(throws: StoreError.self) {
            try InMemoryStore.open(
                OpenRequest(
                    location: .memory("library"), model: model, options: ["Speed": "high"]))
        }
    }
}
