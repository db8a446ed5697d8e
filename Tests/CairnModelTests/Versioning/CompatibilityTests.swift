import Testing

@testable import CairnModel

@Suite struct `Model compatibility` {
    private static let book = EntityDescription("Book", [.attribute("title", .string)])
    private static let author = EntityDescription("Author", [.attribute("name", .string)])

    private static func model(
        _ entities: EntityDescription..., configurations: [String: [String]] = [:]
    ) throws -> ManagedObjectModel {
        var description = ModelDescription(entities)
        description.configurations = configurations
        return try ManagedObjectModel(description)
    }

    @Test func `treats entities that only one side has as differences`() throws {
        let store = try Self.model(Self.book)
        let model = try Self.model(Self.author)

        let differences = try model.differences(from: store.entityVersionHashes)

        let known = try Self.model(Self.author, Self.book).entityVersionHashes
        #expect(
            differences == [
                ModelDifference(entity: "Author", stored: nil, model: known["Author"]),
                ModelDifference(entity: "Book", stored: known["Book"], model: nil),
            ])
    }

    @Test func `compares a configuration by its own entities`() throws {
        let model = try Self.model(
            Self.author, Self.book, configurations: ["Books": ["Book"]])
        let recorded = try Self.model(Self.book).entityVersionHashes

        #expect(try model.isConfiguration("Books", compatibleWith: recorded))
        #expect(try !model.isConfiguration(nil, compatibleWith: recorded))
        #expect(throws: ModelError.unknownConfiguration("Maps", known: ["Books"])) {
            try model.isConfiguration("Maps", compatibleWith: recorded)
        }
    }

    @Test func `ignores the hash of an entity that inherits a derived attribute`() throws {
        var count = AttributeDescription("count", .integer64)
        count.derivation = Derivation(expression: "pages.@count")
        let model = try Self.model(
            EntityDescription("Base", [.attribute(count), .toMany("pages", "Leaf")]),
            EntityDescription("Leaf", superentity: "Base", [.attribute("x", .string)]))
        let other = VersionHash(Array(repeating: 7, count: 32))

        #expect(try model.differences(from: ["Base": other, "Leaf": other]) == [])
        #expect(try model.differences(from: ["Base": other]).map(\.entity) == ["Leaf"])
    }

    @Test func `allows merging entities and configurations`() throws {
        let first = try Self.model(Self.book, configurations: ["Local": ["Book"]])
        let second = try Self.model(
            Self.author, Self.book, configurations: ["Local": ["Author", "Book"]])

        let merged = try ManagedObjectModel.merging([first, second])

        #expect(merged.entities.map(\.name) == ["Author", "Book"])
        #expect(merged.description.configurations == ["Local": ["Book", "Author"]])
    }

    @Test func `does not allow merging two declarations of one entity`() throws {
        let other = EntityDescription("Book", [.attribute("isbn", .string)])
        let models = [try Self.model(Self.book), try Self.model(other)]

        #expect(throws: ModelError.mergeConflict(entity: "Book")) {
            try ManagedObjectModel.merging(models)
        }
    }

    @Test func `allows composing a store's model from the versions that it was written with`()
        throws
    {
        let newBook = EntityDescription("Book", [.attribute("isbn", .string)])
        let models = [
            try Self.model(newBook), try Self.model(Self.book), try Self.model(Self.author),
        ]
        let recorded = try Self.model(Self.author, Self.book).entityVersionHashes

        let found = ManagedObjectModel.merging(models, forStoreMetadata: recorded)

        #expect(found?.entityVersionHashes == recorded)
        #expect(ManagedObjectModel.merging([models[0]], forStoreMetadata: recorded) == nil)
    }
}
