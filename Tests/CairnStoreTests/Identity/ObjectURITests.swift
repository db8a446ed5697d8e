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
    func `without a number has no key`(text: String) throws {
        var parts = URLComponents()
        parts.scheme = "x-coredata"
        parts.host = "A"
        parts.path = "/Book/p\(text)"

        let url = try #require(parts.url)
        let parsed = try #require(ObjectURI(url))

        #expect(parsed.key == nil)
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
