import CairnLMDB
import CairnModel
import CairnRows
import CairnStore
import Foundation
import Testing

/// A save of objects whose entity is not in the store's configuration.
@Suite struct `Entities that an LMDB store does not contain` {
    private let fixture: LMDBFixture

    init() throws {
        var description = LMDBFixture.description()
        description.configurations = ["Lending": ["Reader", "Tag"]]
        fixture = try LMDBFixture(description)
    }

    @Test func `get no keys, and the error names the reason`() throws {
        let store = try open()
        let book = try fixture.entity("Book").number
        let tag = try fixture.entity("Tag").number
        let save = try store.beginSave()
        defer { save.rollback() }

        try expectRefusal("Book") { _ = try save.reserveKeys([book: 1]) }
        try expectRefusal("Book") { _ = try save.reserveKeys([tag: 1, book: 1]) }
        try expectRefusal("number 99") { _ = try save.reserveKeys([EntityNumber(99): 1]) }
        #expect(try save.reserveKeys([book: 0]).isEmpty)
    }

    @Test func `are not saved, nor is anything else in the save`() throws {
        let store = try open()
        let whole = try open(configuration: nil)
        try fixture.insert(
            whole, [fixture.row(whole, "Book", 1), fixture.row(whole, "Author", 2)])
        let tag = try fixture.row(store, "Tag", 7)
        let people = try fixture.relationship("Person", "tags")
        let book = try fixture.id(store, "Book", 1)
        let requests = [
            SaveRequest(inserted: RowBatch([tag, try fixture.row(store, "Book", 2)])),
            SaveRequest(
                inserted: RowBatch([tag]),
                updated: [try fixture.update(store, "Book", 1, from: 1)]),
            SaveRequest(
                inserted: RowBatch([tag]), deleted: [RowDeletion(id: book, previousVersion: 1)]),
            SaveRequest(
                inserted: RowBatch([tag]),
                pairs: [PairChange(.delete, people, owner: book, member: tag.id)]),
        ]

        for request in requests {
            let save = try store.beginSave()
            try expectRefusal("Book") { try save.prepare(request) }
            save.rollback()
        }

        let tags = FetchPlan(entity: try fixture.entity("Tag"))
        #expect(try store.snapshot().count(tags) == 0)
        #expect(try whole.snapshot().count(FetchPlan(entity: fixture.entity("Book"))) == 1)
    }

    @Test func `do not include those of the same inheritance tree, as in a SQLite store`() throws {
        let store = try open()

        try fixture.insert(store, [fixture.row(store, "Author", 1), fixture.row(store, "Tag", 1)])

        let people = FetchPlan(entity: try fixture.entity("Person"))
        #expect(try store.snapshot().count(people) == 1)
    }

    @Test func `are distinguished from abstract ones, which have no objects`() throws {
        let store = try open()
        let save = try store.beginSave()
        defer { save.rollback() }

        try expectRefusal("abstract") {
            try save.prepare(
                SaveRequest(inserted: RowBatch([try fixture.row(store, "Person", 1)])))
        }
    }

    private func open(configuration: String? = "Lending") throws -> LMDBStore {
        try LMDBStore.open(
            OpenRequest(
                location: fixture.location, model: fixture.model, layouts: fixture.layouts,
                configuration: configuration))
    }

    private func expectRefusal(_ text: String, _ body: () throws -> Void) throws {
        let error = #expect(throws: StoreError.self, performing: body)
        guard case .unsupported? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect("\(String(describing: error))".contains(text))
    }
}
