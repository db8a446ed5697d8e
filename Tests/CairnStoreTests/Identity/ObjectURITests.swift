import CairnEngineKit
import CairnModel
import CairnStore
import Foundation
import Testing

@Suite struct `Object URI` {
    private let identifier = "B1D8C2B4-52F6-4BB3-8E64-0F9C1B6B5A11"

    private func id(_ entity: String, key: Int64) throws -> ObjectID {
        let model = try ManagedObjectModel([EntityDescription(entity)])
        let store = StoreDirectory.shared.number(
            identifier: identifier, location: .memory(entity), model: model)
        return ObjectID(
            store: store, rootEntity: EntityNumber(1), entity: EntityNumber(1), key: key)
    }

    @Test func `has Core Data's form`() throws {
        let url = try id("Book", key: 12).uriRepresentation()

        #expect(url.absoluteString == "x-coredata://\(identifier)/Book/p12")
    }

    @Test(arguments: [
        "Book", "a/b", "/", "..", "%2F", "a b", "Größe", "\"; DROP TABLE x", "p1", "?q#f", "a\\b",
        "[]", "🪨", "x:y@z", "\u{1}",
    ])
    func `contains the entity, of any name, and the key`(name: String) throws {
        for key in [1, .max] as [Int64] {
            let url = try id(name, key: key).uriRepresentation()

            let parsed = try #require(ObjectURI(url), "\(url)")
            #expect(parsed.storeIdentifier == identifier)
            #expect(parsed.entityName == name)
            #expect(parsed.key == key)
        }
    }

    @Test func `of a temporary ID contains no store and no key`() throws {
        let model = try ManagedObjectModel([EntityDescription("Book")])
        let space = StoreDirectory.shared.temporarySpace(model: model)
        let id = ObjectID(
            store: space, rootEntity: EntityNumber(1), entity: EntityNumber(1), key: -4)

        let parsed = try #require(ObjectURI(id.uriRepresentation()))

        #expect(id.isTemporary)
        #expect(parsed.storeIdentifier.isEmpty)
        #expect(parsed.entityName == "Book")
        #expect(parsed.key == nil)
    }

    @Test(arguments: [
        "x-coredata://A/Book/q1", "x-coredata://A/Book", "x-coredata://A/Book/p%FF",
        "x-coredata://A/Book/p1/p2", "https://A/Book/p1", "x-coredata:", "file:///",
        "x-coredata://A//p1",
    ])
    func `is refused if it is not an object URI`(text: String) throws {
        #expect(ObjectURI(try #require(URL(string: text))) == nil)
    }

    @Test(arguments: ["", "-1", "+1", "99999999999999999999", "1e3", "seven", "１２"])
    func `without a number has a text`(text: String) throws {
        var parts = URLComponents()
        parts.scheme = "x-coredata"
        parts.host = "A"
        parts.path = "/Book/p\(text)"

        let url = try #require(parts.url)
        let parsed = try #require(ObjectURI(url))

        #expect(parsed.key == nil)
        #expect(parsed.keyText == text)
    }
}

@Suite struct `URI of an object with a reference` {
    private let identifier = UUID().uuidString
    private let model: ManagedObjectModel
    private let location = StoreLocation.memory(UUID().uuidString)
    private let number: StoreNumber
    private let references: StoreReferences

    init() throws {
        model = try ManagedObjectModel([
            EntityDescription("Book", [.attribute("title", .string)]),
            EntityDescription("Novel", superentity: "Book"), EntityDescription("Loan"),
            EntityDescription("Shelf"),
        ])
        number = StoreDirectory.shared.number(
            identifier: identifier, location: location, model: model)
        references = StoreDirectory.shared.references(
            of: ["Book": .text, "Loan": .uuid], identifier: identifier, location: location,
            model: model, number: number)
    }

    private func table(_ name: String) throws -> ReferenceTable {
        let root = try #require(model.entity(named: name)).rootEntity.number
        return try #require(references.table(of: root))
    }

    private func id(_ name: String, _ key: Int64) throws -> ObjectID {
        let entity = try #require(model.entity(named: name))
        return ObjectID(
            store: number, rootEntity: entity.rootEntity.number, entity: entity.number, key: key)
    }

    @Test(arguments: [
        "abc", "", "12", "a/b", "..", "%2F", "a b", "Größe", "\"; DROP TABLE x", "?q#f", "a\\b",
        "[]", "🪨", "x:y@z", "\u{0}", "e\u{301}", String(repeating: "long ", count: 1000),
    ])
    func `round-trips any text`(text: String) throws {
        let key = try table("Book").intern([.text(text)])[0]

        let parsed = try #require(ObjectURI(try id("Novel", key).uriRepresentation()))

        #expect(parsed.storeIdentifier == identifier)
        #expect(parsed.entityName == "Novel")
        #expect(Array((parsed.keyText ?? "-").utf8) == Array(text.utf8))
    }

    @Test func `has the text unchanged if no character is special`() throws {
        let key = try table("Book").intern([.text("isbn-7")])[0]

        let uri = try id("Book", key).uriRepresentation().absoluteString

        #expect(uri == "x-coredata://\(identifier)/Book/pisbn-7")
    }

    @Test func `has the UUID in its usual form`() throws {
        let uuid = UUID()
        let key = try table("Loan").intern([.uuid(uuid)])[0]

        let uri = try id("Loan", key).uriRepresentation().absoluteString

        #expect(uri == "x-coredata://\(identifier)/Loan/p\(uuid.uuidString)")
    }

    @Test func `has the key of an entity that is identified by numbers`() throws {
        #expect(try id("Shelf", 7).uriRepresentation().lastPathComponent == "p7")
        #expect("\(try id("Shelf", 7))".hasSuffix("/Shelf/p7"))
    }

    @Test func `shows a reference only on request`() throws {
        let id = try id("Book", try table("Book").intern([.text("secret@example.org")])[0])

        #expect("\(id)" == "x-coredata://\(identifier)/Book/#\(id.key)")
    }

    @Test func `cannot be resolved before the reference is known`() throws {
        let key = try table("Book").reserve(1).lowerBound

        let parsed = try #require(ObjectURI(try id("Book", key).uriRepresentation()))

        #expect(parsed.keyText == nil)
    }

    @Test func `is the same with a model that numbers the entities differently`() throws {
        let key = try table("Book").intern([.text("abc")])[0]
        let larger = try ManagedObjectModel(
            [EntityDescription("Aaa")] + model.description.entities)
        let other = StoreDirectory.shared.number(
            identifier: identifier, location: location, model: larger)
        _ = StoreDirectory.shared.references(
            of: ["Book": .text, "Loan": .uuid], identifier: identifier, location: location,
            model: larger, number: other)
        let book = try #require(larger.entity(named: "Book")).number

        let uri = ObjectID(store: other, rootEntity: book, entity: book, key: key)
            .uriRepresentation()

        #expect(other != number)
        #expect(uri == (try id("Book", key).uriRepresentation()))
    }

    @Test func `is unchanged after the store is opened again`() throws {
        let key = try table("Book").intern([.text("kept")])[0]

        let again = StoreDirectory.shared.number(
            identifier: identifier, location: location, model: model)

        #expect(again == number)
        #expect(try id("Book", key).uriRepresentation().lastPathComponent == "pkept")
    }
}

@Suite struct `Store directory` {
    @Test func `gives one number to a store with a given numbering of its entities`() throws {
        let identifier = UUID().uuidString
        let old = try ManagedObjectModel([EntityDescription("Old")])
        let new = try ManagedObjectModel([EntityDescription("New"), EntityDescription("Old")])
        let directory = StoreDirectory.shared

        let first = directory.number(identifier: identifier, location: .memory("a"), model: old)
        let again = directory.number(identifier: identifier, location: .memory("a"), model: old)
        let larger = directory.number(identifier: identifier, location: .memory("a"), model: new)
        let other = directory.number(identifier: identifier, location: .memory("b"), model: old)

        #expect(first == again)
        #expect(first != other)
        #expect(first != larger)
        #expect(!first.isTemporary)
        let entry = try #require(directory.entry(for: first))
        #expect(entry.identifier == identifier)
        #expect(entry.name(of: EntityNumber(1)) == "Old")
        #expect(directory.entry(for: larger)?.name(of: EntityNumber(1)) == "New")
        #expect(entry.name(of: EntityNumber(0)) == nil)
        #expect(entry.name(of: EntityNumber(2)) == nil)
        #expect(directory.entry(for: StoreNumber(rawValue: 0x7fff_ffff)) == nil)
    }
}
