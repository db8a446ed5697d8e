import CairnLMDB
import CairnModel
import CairnRows
import CairnStore
import Foundation
import Testing

@Suite struct `LMDB store` {
    @Test func `keeps saved data when it is opened again`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let saved = try fixture.row(store, "Author", 1, ["name": "Ursula", "age": 41])
        try fixture.save(
            store, SaveRequest(inserted: RowBatch([saved]), metadata: ["motto": "go on"]))
        let identifier = try store.metadata().identifier
        try store.close()

        let again = try fixture.open(creates: false)
        let row = try #require(
            try again.snapshot().rows(for: [fixture.id(again, "Author", 1)]).rows.first { _ in true
            })

        #expect(Row.hasSameBytes(row, saved))
        #expect(again.number == store.number)
        let metadata = try LMDBStore.metadata(at: fixture.location)
        #expect(metadata.identifier == identifier)
        #expect(metadata.values == ["motto": "go on"])
        #expect(metadata.entityVersionHashes == fixture.model.entityVersionHashes)
        #expect(try LMDBStore.entityCounts(at: fixture.location)["Author"] == 1)
    }

    @Test func `contains the model that it was created with`() throws {
        let fixture = try LMDBFixture()
        try fixture.open().close()

        let model = try ManagedObjectModel(
            try #require(try LMDBStore.model(at: fixture.location)))

        #expect(model.entityVersionHashes == fixture.model.entityVersionHashes)
    }

    @Test func `is one file, and a lock file that is created again if removed`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        try fixture.insert(store, [fixture.row(store, "Tag", 1)])
        try store.close()

        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path)

        #expect(names.sorted() == ["store.lmdb", "store.lmdb-lock"])
        #expect(
            LMDBStore.companionFiles(of: fixture.location)
                == [StoreFile(fixture.folder.file("store.lmdb-lock"), .scratch)])
    }

    @Test func `is not created if it is opened for reading only`() throws {
        let fixture = try LMDBFixture()

        #expect(throws: StoreError.self) { try fixture.open(readOnly: true) }
        #expect(throws: StoreError.self) { try fixture.open(creates: false) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path) == [])
    }

    @Test func `refuses saves and changes no byte when it is read-only`() throws {
        let fixture = try LMDBFixture()
        try fixture.open().close()
        let before = try Data(contentsOf: fixture.file)

        let store = try fixture.open(readOnly: true)
        let error = #expect(throws: StoreError.self) { _ = try store.beginSave() }
        _ = try store.snapshot().count(FetchPlan(entity: fixture.entity("Tag")))

        guard case .readOnly? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try Data(contentsOf: fixture.file) == before)
    }

    @Test func `names each entity that differs`() throws {
        let fixture = try LMDBFixture()
        try fixture.open().close()
        var description = LMDBFixture.description()
        let index = try #require(description.entities.firstIndex { $0.name == "Tag" })
        description.entities[index].properties.append(.attribute("color", .string))
        let other = try ManagedObjectModel(description)

        let error = #expect(throws: StoreError.self) {
            _ = try LMDBStore.open(OpenRequest(location: fixture.location, model: other))
        }

        guard case .modelMismatch(_, let differences)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(differences.map(\.entity) == ["Tag"])
    }

    @Test func `opens with a model that numbers its entities differently`() throws {
        let fixture = try LMDBFixture()
        try fixture.open().close()
        var description = LMDBFixture.description()
        description.entities.append(EntityDescription("Aardvark"))
        let larger = try ManagedObjectModel(description)

        let store = try LMDBStore.open(OpenRequest(location: fixture.location, model: larger))

        let disagreements = try store.findDisagreements()
        #expect(disagreements.isEmpty)
        let transaction = try store.beginSave()
        let aardvark = try #require(larger.entity(named: "Aardvark")?.number)
        let error = #expect(throws: StoreError.self) {
            _ = try transaction.reserveKeys([aardvark: 1])
        }
        guard case .unsupported(_, let feature, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(feature == "no entity Aardvark")
    }

    @Test(arguments: [
        ("", "an empty file"), ("SQLite format 3\0 and so on", "a file of another kind"),
        ("<?xml version='1.0'?>", "an XML document"), ("anything", "a file of another kind"),
        (String(repeating: "x", count: 20_000), "a file of another kind"),
    ])
    func `refuses a foreign file and names its kind`(_ content: String, _ kind: String) throws {
        let fixture = try LMDBFixture()
        try Data(content.utf8).write(to: fixture.file)

        let error = #expect(throws: StoreError.self) { _ = try fixture.open() }

        guard case .notAStore(_, "LMDB", let found)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found == kind)
        #expect(!LMDBStore.recognizes(fixture.location))
        #expect(try Data(contentsOf: fixture.file) == Data(content.utf8))
    }

    @Test func `knows its own files by their content`() throws {
        let fixture = try LMDBFixture()
        try fixture.open().close()
        let renamed = fixture.folder.file("anything.sqlite")
        try FileManager.default.copyItem(at: fixture.file, to: renamed)

        #expect(LMDBStore.recognizes(.file(renamed)))
        #expect(!LMDBStore.recognizes(.file(fixture.folder.url)))
        #expect(!LMDBStore.recognizes(.memory("store")))
    }

    @Test(
        arguments: [
            ["LMDBNonsense": 1], ["timeout": -1], ["timeout": "soon"], ["LMDBDurability": "none"],
            ["LMDBMapByteCount": 5], ["LMDBReaderCount": 0],
        ] as [StoreOptions])
    func `refuses options that it does not know`(_ options: StoreOptions) throws {
        let fixture = try LMDBFixture()

        let error = #expect(throws: StoreError.self) { _ = try fixture.open(options: options) }

        guard case .invalidOption(let option, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(options.keys.contains(option))
    }

    @Test func `saves with relaxed durability`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.durability: "relaxed"])

        try fixture.insert(store, [fixture.row(store, "Tag", 1)])

        #expect(try store.snapshot().count(FetchPlan(entity: fixture.entity("Tag"))) == 1)
    }

    @Test func `reports that it was closed`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let snapshot = try store.snapshot()
        let cursor = try snapshot.cursor(FetchPlan(entity: fixture.entity("Tag")))
        try store.close()
        try store.close()

        #expect(throws: StoreError.self) { try store.snapshot() }
        #expect(throws: StoreError.self) { try store.beginSave() }
        #expect(throws: StoreError.self) { try snapshot.rows(for: []) }
        #expect(throws: StoreError.self) { try cursor.next(atMost: 1) }
    }

    @Test func `is busy while another save takes longer than its timeout`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open(options: [.timeout: 0.05])
        let transaction = try store.beginSave()

        let error = #expect(throws: StoreError.self) { _ = try store.beginSave() }

        guard case .busy? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        transaction.rollback()
        try store.beginSave().rollback()
    }

    @Test func `opens under two paths and twice in one process`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let alias = fixture.folder.file("alias.lmdb")
        try FileManager.default.createSymbolicLink(at: alias, withDestinationURL: fixture.file)

        let twin = try LMDBStore.open(
            OpenRequest(location: .file(alias), model: fixture.model, layouts: fixture.layouts))
        try fixture.insert(twin, [fixture.row(twin, "Tag", 1)])
        try store.close()
        try fixture.insert(twin, [fixture.row(twin, "Tag", 2)])

        #expect(try twin.snapshot().count(FetchPlan(entity: fixture.entity("Tag"))) == 2)
    }

    @Test func `creates indexes that a later model needs`() throws {
        var description = LMDBFixture.description()
        let index = try #require(description.entities.firstIndex { $0.name == "Person" })
        let indexes = description.entities[index].fetchIndexes
        description.entities[index].fetchIndexes = []
        let plain = try LMDBFixture(description)
        let store = try plain.open()
        try plain.insert(
            store, (1...50).map { try plain.row(store, "Author", $0, ["age": .integer($0 % 5)]) })
        description.entities[index].fetchIndexes = indexes
        let indexed = try ManagedObjectModel(description)

        let later = try LMDBStore.open(OpenRequest(location: plain.location, model: indexed))
        // A store whose model lacks the index maintains it nevertheless.
        try plain.insert(store, [plain.row(store, "Author", 51, ["age": 3])])

        let person = try #require(indexed.entity(named: "Person"))
        let plan = FetchPlan(
            entity: person, predicate: try FetchPredicate(format: "age = 3").bound(to: person))
        #expect(try later.snapshot().count(plan) == 11)
    }
}
