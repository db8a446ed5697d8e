import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `SQLite store` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static var entities: [EntityDescription] {
        var item = EntityDescription(
            "Item",
            [
                .attribute("code", .string), .attribute("price", .decimal),
                .attribute("weight", .double), .toOne("box", "Box", inverse: "items"),
            ])
        item.uniquenessConstraints = [["code"]]
        var photo = AttributeDescription("photo", .binary)
        photo.allowsExternalBinaryDataStorage = true
        return [
            item,
            EntityDescription(
                "Box",
                [.attribute(photo), .toMany("items", "Item", inverse: "box", isOrdered: true)]),
        ]
    }

    private func request(_ name: String = "store.sqlite") throws -> OpenRequest {
        OpenRequest(
            location: .file(folder.file(name)), model: try ManagedObjectModel(Self.entities))
    }

    // MARK: Files

    @Test func `is one file that only its owner can read once it is closed`() throws {
        let subject = try SavingStore(Self.entities, in: folder)
        try subject.insert(try subject.row("Box", 1))

        try subject.store.close()

        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.sorted() == ["store.sqlite", "store.sqlite-lock"])
        let attributes = try FileManager.default.attributesOfItem(atPath: subject.url.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: [
        ("", "an empty file"), ("<?xml version=\"1.0\"?><database/>", "an XML document"),
        ("bplist00garbage", "a binary property list"), ("hello", "a file of another kind"),
    ])
    func `describes a file that is not a store`(_ text: String, _ kind: String) throws {
        let file = folder.file("other")
        try Data(text.utf8).write(to: file)
        var request = try request("other")
        request.createsMissing = true

        let error = #expect(throws: StoreError.self) { try SQLiteStore.open(request) }

        guard case .notAStore(_, _, let found)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found == kind)
        #expect(try Data(contentsOf: file) == Data(text.utf8))
        #expect(!SQLiteStore.recognizes(.file(file)))
    }

    @Test func `refuses a database that is not Core Data's`() throws {
        let file = folder.file("plain")
        try SQLiteConnection(path: file.path, mode: .create, location: .file(file))
            .execute("CREATE TABLE t (a)")

        #expect(throws: StoreError.self) { try SQLiteStore.open(try request("plain")) }
        #expect(throws: StoreError.self) { try SQLiteStore.metadata(at: .file(file)) }
    }

    @Test func `names every entity that differs`() throws {
        try SavingStore(Self.entities, in: folder).store.close()
        var entities = Self.entities
        entities[0].properties.append(.attribute("more", .string))
        entities[1].name = "Crate"
        entities[0].properties[3] = .toOne("box", "Crate", inverse: "items")

        let error = #expect(throws: StoreError.self) { try SavingStore(entities, in: folder) }

        guard case .modelMismatch(_, let differences)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(differences.map(\.entity) == ["Box", "Crate", "Item"])
    }

    @Test func `contains the model that it was created with`() throws {
        let subject = try SavingStore(Self.entities, in: folder)
        try subject.store.close()

        let kept = try #require(try SQLiteStore.model(at: .file(subject.url)))

        #expect(
            try ManagedObjectModel(kept).entityVersionHashes == subject.model.entityVersionHashes)
    }

    // MARK: Saving

    @Test func `lets rows swap unique values within one save`() throws {
        let subject = try SavingStore(Self.entities, in: folder)
        try subject.insert(
            try subject.row("Item", 1, ["code": "a"]), try subject.row("Item", 2, ["code": "b"]))

        try subject.save(
            SaveRequest(
                inserted: RowBatch([try subject.row("Item", 3, ["code": "c"])]),
                updated: [
                    try subject.update("Item", 1, from: 1, ["code": "b"]),
                    try subject.update("Item", 2, from: 1, ["code": "a"]),
                ]))

        #expect(try subject.sql("SELECT ZCODE FROM ZITEM ORDER BY Z_PK") == ["b", "a", "c"])
    }

    @Test func `reports every conflict with stored rows`() throws {
        let subject = try SavingStore(Self.entities, in: folder)
        try subject.insert(
            try subject.row("Item", 1, ["code": "a"]), try subject.row("Item", 2, ["code": "b"]))

        let refusal = try subject.refusal(
            of: SaveRequest(
                inserted: RowBatch([
                    try subject.row("Item", 3, ["code": "a"]),
                    try subject.row("Item", 4, ["code": "b"]),
                    try subject.row("Item", 5, ["code": "c"]),
                    try subject.row("Item", 6, ["code": "c"]),
                ])))

        guard case .uniquenessConflicts(let conflicts)? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(conflicts.map { $0.stored?.key } == [1, 2, nil])
        #expect(conflicts.map { $0.requested.map(\.key) } == [[3], [4], [5, 6]])
        #expect(try subject.sql("SELECT count(*) FROM ZITEM") == ["2"])
    }

    @Test func `keeps large values in files and removes them with their rows`() throws {
        let subject = try SavingStore(Self.entities, in: folder)
        let photo = Data(repeating: 7, count: 200_000)
        try subject.insert(try subject.row("Box", 1, ["photo": .binary(photo)]))
        let data = subject.store.files.externalData.url.path
        let names = try FileManager.default.contentsOfDirectory(atPath: data)
        let name = try #require(names.first)

        let stored = try subject.sql("SELECT hex(ZPHOTO) FROM ZBOX")
        let hex = name.utf8.map { String($0, radix: 16, uppercase: true) }.joined()
        #expect(stored == ["02\(hex)00"])
        let reference = ExternalReference(store: subject.store.number, name: name)
        #expect(try subject.store.snapshot().externalData(reference) == photo)
        try subject.save(
            SaveRequest(deleted: [RowDeletion(id: try subject.id("Box", 1), previousVersion: 1)]))
        try subject.store.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: data).isEmpty)
    }

    @Test func `leaves no file of a save that is rolled back`() throws {
        let subject = try SavingStore(Self.entities, in: folder)
        let save = try subject.store.beginSave()
        let photo = Value.binary(Data(repeating: 7, count: 200_000))
        try save.prepare(
            SaveRequest(inserted: RowBatch([try subject.row("Box", 1, ["photo": photo])])))

        save.rollback()

        let data = subject.store.files.externalData.url.path
        #expect(try FileManager.default.contentsOfDirectory(atPath: data).isEmpty)
        #expect(try subject.sql("SELECT count(*) FROM ZBOX") == ["0"])
    }

    @Test(arguments: [
        ("weight", Value.double(.nan)), ("weight", Value.double(-0.0)),
        ("price", Value.decimal(Decimal(string: "1.2345678901234567890123") ?? 0)),
    ])
    func `refuses values that would change when stored, unless it may round`(
        _ name: String, _ value: Value
    ) throws {
        let subject = try SavingStore(Self.entities, in: folder)
        let refusal = try subject.refusal(
            of: SaveRequest(inserted: RowBatch([try subject.row("Item", 1, [name: value])])))
        try subject.store.close()

        guard case .unsupportedValue(let entity, let attribute, _)? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(entity == "Item")
        #expect(attribute == name)
        var rounding = subject.store.request
        rounding.options = [.roundsValues: true]
        let rounded = try SavingStore(rounding)
        #expect(throws: Never.self) {
            try rounded.insert(try rounded.row("Item", 1, [name: value]))
        }
    }

    @Test func `prepares a save once, and commits only prepared saves`() throws {
        let subject = try SavingStore(Self.entities, in: folder)
        let save = try subject.store.beginSave()

        #expect(throws: StoreError.self) { try save.commit() }
        try save.prepare(SaveRequest())
        #expect(throws: StoreError.self) { try save.prepare(SaveRequest()) }
        _ = try save.commit()
    }

    @Test func `never assigns a key twice, even after a rollback in another process`() throws {
        let subject = try SavingStore(Self.entities, in: folder)
        let root = try subject.entity("Item").number
        let save = try subject.store.beginSave()
        let first = try save.reserveKeys([root: 5])
        save.rollback()
        try subject.store.close()

        // Like another process, a new instance knows only the file's content.
        let again = try SavingStore(subject.store.request).reserve(1, "Item")

        #expect(first[root] == 1..<6)
        #expect(again == 6..<7)
    }

    @Test func `refuses a database whose text is UTF-16, and says how to rewrite it`() throws {
        let subject = try SavingStore(Self.entities, in: folder)
        try subject.store.close()
        let location = StoreLocation.file(folder.file("utf16.sqlite"))
        let connection = try SQLiteConnection(
            path: folder.file("utf16.sqlite").path, mode: .create, location: location)
        try connection.execute("PRAGMA encoding = 'UTF-16le'")
        try connection.execute("CREATE TABLE Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST)")
        try connection.execute("CREATE TABLE Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX)")

        let refusal = #expect(throws: StoreError.self) {
            try SQLiteStore.open(OpenRequest(location: location, model: subject.model))
        }

        guard case .unsupported(_, "text in the encoding UTF-16le", let advice) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(advice.contains(".dump"))
    }

    @Test func `appends members without order keys, however many there are`() throws {
        let box = EntityDescription(
            "Box", [.toMany("items", "Item", inverse: "box", isOrdered: true)])
        let item = EntityDescription("Item", [.toOne("box", "Box", inverse: "items")])
        let subject = try SavingStore([box, item], in: folder)
        try subject.insert(try subject.row("Box", 1), try subject.row("Box", 2))
        let rows = try (1...40).map { key in
            try subject.row("Item", key, ["box": .objectID(try subject.id("Box", key % 2 + 1))])
        }

        try subject.save(SaveRequest(inserted: RowBatch(rows[..<20])))
        try subject.save(SaveRequest(inserted: RowBatch(rows[20...])))

        let items = try #require(try subject.entity("Box").relationship(named: "items"))
        let related = try subject.store.snapshot().relatedIDs(
            items, of: [try subject.id("Box", 1), try subject.id("Box", 2)])
        let even: [Int64] = Array(stride(from: 2, through: 40, by: 2))
        let odd: [Int64] = Array(stride(from: 1, through: 39, by: 2))
        let orderKeys: [Int64] = (1...20).map { $0 * 1024 + 1024 }
        #expect(related.members.map(\.key) == even + odd)
        #expect(related.orderKeys == orderKeys + orderKeys)
    }

    @Test func `shows the saves of another instance, each as a later state`() throws {
        let first = try SavingStore(Self.entities, in: folder)
        let second = try SavingStore(first.store.request)
        let before = try first.store.snapshot()

        try second.insert(try second.row("Box", 1))
        let after = try first.store.snapshot()

        #expect(before.generation < after.generation)
        #expect(try before.rows(for: [first.id("Box", 1)]).isEmpty)
        #expect(try after.rows(for: [first.id("Box", 1)]).count == 1)
        #expect(try first.store.snapshot().generation == after.generation)
    }

    @Test func `is one file again after read-only use`() throws {
        let made = try SavingStore(Self.entities, in: folder)
        try made.insert(try made.row("Box", 1))
        try made.store.close()

        let subject = try SavingStore(made.store.request)
        let found = try subject.store.snapshot().rows(for: [subject.id("Box", 1)]).count
        try subject.store.close()

        #expect(found == 1)
        for suffix in ["-wal", "-shm"] {
            #expect(!FileManager.default.fileExists(atPath: subject.url.path + suffix))
        }
    }

    @Test func `transfers the log that another process left, even if it is only read`() throws {
        let made = try SavingStore(Self.entities, in: folder)
        try made.insert(try made.row("Box", 1))
        let copy = try TemporaryFolder()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: made.url.path + suffix, toPath: copy.file("store.sqlite").path + suffix)
        }
        var request = made.store.request
        request.location = .file(copy.file("store.sqlite"))

        try SavingStore(request).store.close()

        #expect(!FileManager.default.fileExists(atPath: copy.file("store.sqlite-wal").path))
        #expect(try SQLiteStore.entityCounts(at: request.location)["Box"] == 1)
    }

    @Test func `shows metadata that another instance saved after it was opened`() throws {
        let first = try SavingStore(Self.entities, in: folder)
        let second = try SavingStore(first.store.request)
        let before = try first.store.metadata()

        try second.save(SaveRequest(metadata: ["colour": "blue"]))
        let after = try first.store.metadata()

        #expect(before.values["colour"] == nil)
        #expect(after.values["colour"] == "blue")
        #expect(after.identifier == before.identifier)
    }

    @Test func `switches a store with a rollback journal to write-ahead mode`() throws {
        let made = try SavingStore(Self.entities, in: folder)
        try made.insert(try made.row("Box", 1))
        try made.store.close()
        try SQLiteConnection(path: made.url.path, mode: .readWrite, location: .file(made.url))
            .execute("PRAGMA journal_mode = DELETE")

        let subject = try SavingStore(made.store.request)
        try subject.insert(try subject.row("Box", 2))

        #expect(try subject.sql("PRAGMA journal_mode") == ["wal"])
        #expect(try subject.sql("SELECT count(*) FROM ZBOX") == ["2"])
    }

    @Test func `waits for another save no longer than its timeout`() throws {
        var request = try request()
        request.options = [.timeout: 0.05]
        let first = try SavingStore(request)
        let second = try SavingStore(request)
        let save = try first.store.beginSave()

        let error = #expect(throws: StoreError.self) { try second.store.beginSave() }

        guard case .busy? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        save.rollback()
        #expect(throws: Never.self) { try second.insert(try second.row("Box", 1)) }
    }

    @Test func `saves again once another program has ended its transaction`() throws {
        var request = try request()
        request.options = [.timeout: 0.05]
        let subject = try SavingStore(request)
        let url = try #require(request.location.fileURL)
        let program = try SQLiteConnection(
            path: url.path, mode: .readWrite, location: request.location)
        try program.execute("BEGIN IMMEDIATE")

        let error = #expect(throws: StoreError.self) { try subject.store.beginSave() }

        guard case .busy? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try program.execute("ROLLBACK")
        #expect(throws: Never.self) { try subject.insert(try subject.row("Box", 1)) }
    }

    @Test func `treats hostile names as names`() throws {
        let name = "a\"; DROP TABLE ZITEM; --"
        let subject = try SavingStore(
            Self.entities + [
                EntityDescription(name, [.attribute(name, .string), .toMany("x'\"", name)])
            ], in: folder)

        try subject.insert(try subject.row(name, 1, [name: .string(name)]))

        let stored = try subject.store.snapshot().rows(for: [try subject.id(name, 1)])
        let row = try #require(stored.rows.first { _ in true })
        let slot = try #require(subject.store.request.layouts.layout(of: row.entity)?.slots[0])
        #expect(row.string(slot) == name)
        #expect(try subject.sql("SELECT count(*) FROM ZITEM") == ["0"])
    }
}
