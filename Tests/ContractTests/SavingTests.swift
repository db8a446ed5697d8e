import CairnModel
import CairnStore
import Testing

@Suite(.onEveryEngine) struct `Saving` {
    let subject: StoreUnderTest

    init() throws { subject = try StoreUnderTest(options: [.timeout: 0.05]) }

    @Test func `shows a save to no one before it is committed`() throws {
        let save = try subject.store.beginSave()

        try save.prepare(SaveRequest(inserted: RowBatch([try subject.row("Album", 1)])))

        #expect(try subject.rows("Album").isEmpty)
        _ = try save.commit()
        #expect(try subject.rows("Album").count == 1)
    }

    @Test func `leaves a snapshot as it was`() throws {
        try subject.insert(try subject.row("Album", 1, ["name": "Old"]))
        let snapshot = try subject.store.snapshot()

        try subject.save(
            SaveRequest(
                inserted: RowBatch([try subject.row("Album", 2)]),
                updated: [try subject.update("Album", 1, from: 1, ["name": "New"])]))

        let old = try subject.rows("Album", in: snapshot)
        #expect(old.map(\.key) == [1])
        #expect(try subject.value("name", of: try #require(old.first)) == "Old")
        #expect(try subject.rows("Album").map(\.key) == [1, 2])
    }

    @Test func `raises the generation with each commit`() throws {
        let first = try subject.store.snapshot().generation

        let outcome = try subject.insert(try subject.row("Album", 1))
        let second = try subject.insert(try subject.row("Album", 2))

        #expect(first < outcome.generation)
        #expect(outcome.generation < second.generation)
        #expect(try subject.store.snapshot().generation == second.generation)
    }

    @Test func `forgets what was rolled back`() throws {
        let save = try subject.store.beginSave()
        try save.prepare(SaveRequest(inserted: RowBatch([try subject.row("Album", 1)])))

        save.rollback()
        save.rollback()

        #expect(try subject.rows("Album").isEmpty)
        #expect(throws: StoreError.self) { try save.commit() }
        try subject.insert(try subject.row("Album", 1))
    }

    @Test func `rolls back a save that is let go`() throws {
        var save: (any SaveTransaction)? = try subject.store.beginSave()
        try save?.prepare(SaveRequest(inserted: RowBatch([try subject.row("Album", 1)])))

        save = nil

        #expect(try subject.rows("Album").isEmpty)
        try subject.insert(try subject.row("Album", 2))
    }

    @Test func `commits nothing after a refused request`() throws {
        let save = try subject.store.beginSave()
        let request = SaveRequest(
            inserted: RowBatch([try subject.row("Album", 1)]),
            updated: [try subject.update("Album", 9, from: 1)])

        #expect(throws: StoreError.self) { try save.prepare(request) }

        #expect(throws: StoreError.self) { try save.commit() }
        #expect(try subject.rows("Album").isEmpty)
    }

    @Test func `refuses a row of an abstract entity, or of none`() throws {
        let abstract = SaveRequest(inserted: RowBatch([try subject.row("Work", 1)]))
        let other = try ManagedObjectModel((1...20).map { EntityDescription("Entity\($0)") })
        let layout = RowLayouts(other).layout(of: try #require(other.entity(named: "Entity20")))
        var writer = RowWriter(store: subject.store.number)
        writer.begin(layout, key: 1, version: 1)
        writer.endRow()

        #expect(try subject.refusal(of: abstract) != nil)
        #expect(try subject.refusal(of: SaveRequest(inserted: writer.takeBatch())) != nil)
    }

    @Test func `refuses bytes that another store keeps outside of the row`() throws {
        var blob = AttributeDescription("blob", .binary)
        blob.allowsExternalBinaryDataStorage = true
        let subject = try StoreUnderTest([EntityDescription("File", [.attribute(blob)])])
        let layout = subject.store.request.layouts.layout(of: try subject.entity("File"))
        var writer = RowWriter(store: subject.store.number)
        writer.begin(layout, key: 1, version: 1)
        let reference = ExternalReference(store: StoreNumber(rawValue: 1), name: "A-B")
        try writer.set(.reference(reference), at: layout.slots[0])
        writer.endRow()

        let refusal = try subject.refusal(of: SaveRequest(inserted: writer.takeBatch()))

        guard case .unsupportedValue("File", "blob", _)? = refusal else {
            Issue.record("the bytes would be lost: \(String(describing: refusal))")
            return
        }
        try subject.insert(try subject.row("File", 1, ["blob": .binary(.init([2, 1]))]))
        #expect(try subject.value("blob", of: subject.rows("File")[0]) == .binary(.init([2, 1])))
    }

    @Test func `sets application values and keeps the others`() throws {
        try subject.save(SaveRequest(metadata: ["a": 1, "b": "two"]))
        try subject.save(SaveRequest(metadata: ["b": "three"]))

        let values = try subject.store.metadata().values
        #expect(values["a"] == 1)
        #expect(values["b"] == "three")
    }

    @Test func `gives every other call an error once the store is closed`() throws {
        try subject.insert(try subject.row("Album", 1))
        let snapshot = try subject.store.snapshot()
        let cursor = try snapshot.cursor(FetchPlan(entity: try subject.entity("Album")))
        let save = try subject.store.beginSave()

        try subject.store.close()
        try subject.store.close()

        #expect(throws: StoreError.self) { try subject.store.snapshot() }
        #expect(throws: StoreError.self) { try subject.store.metadata() }
        #expect(throws: StoreError.self) { try subject.store.beginSave() }
        #expect(throws: StoreError.self) { try cursor.next(atMost: 1) }
        #expect(throws: StoreError.self) { try snapshot.rows(for: [subject.id("Album", 1)]) }
        #expect(throws: StoreError.self) { try save.prepare(SaveRequest()) }
    }
}
