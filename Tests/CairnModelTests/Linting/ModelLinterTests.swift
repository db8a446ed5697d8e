import CairnModel
import Testing

@Suite struct `Linting a model` {
    private static func kinds(_ entities: EntityDescription...) throws -> [ModelWarning.Kind] {
        try ModelLinter(ManagedObjectModel(entities)).warnings().map(\.kind)
    }

    private static func kinds(_ attribute: AttributeDescription) throws -> [ModelWarning.Kind] {
        try kinds(EntityDescription("Book", [.attribute(attribute)]))
    }

    @Test func `finds nothing in a correct model`() throws {
        let kinds = try Self.kinds(
            EntityDescription(
                "Author",
                [.toMany("books", "Book", inverse: "author", deleteRule: .cascade)]),
            EntityDescription(
                "Book",
                [
                    .attribute("title", .string),
                    .toOne("author", "Author", inverse: "books", isOptional: false),
                ]))

        #expect(kinds == [])
    }

    @Test func `warns of relationships`() throws {
        let alone = EntityDescription("Book", [.toOne("next", "Book")])
        let idle = EntityDescription(
            "Book", [.toOne("next", "Book", inverse: "next", deleteRule: .noAction)])
        let bound = EntityDescription(
            "Book",
            [
                .toOne("next", "Book", inverse: "last", isOptional: false, deleteRule: .cascade),
                .toOne("last", "Book", inverse: "next", isOptional: false, deleteRule: .cascade),
            ])

        #expect(try Self.kinds(alone) == [.noInverse])
        #expect(try Self.kinds(idle) == [.noActionDeleteRule])
        #expect(try Self.kinds(bound) == [.mutuallyRequired, .mutualCascade])
    }

    @Test func `says what Core Data cannot read of a to-many without an inverse`() throws {
        let author = EntityDescription("Author", [.toMany("books", "Book")])
        let book = EntityDescription("Book", [.attribute("title", .string)])

        let warnings = try ModelLinter(ManagedObjectModel([author, book])).warnings()

        #expect(
            warnings.map(\.description) == [
                "Author.books: it has no inverse, so it still leads to an object that was deleted, and Core"
                    + " Data cannot read its members in a SQLite store that Cairn created; add an inverse"
            ])
    }

    @Test func `warns of attributes`() throws {
        let transformable = AttributeDescription("cover", .transformable)
        let empty = AttributeDescription(
            "pages", .integer16, isOptional: true,
            validationRules: [.minimum(2), .maximum(1)])
        let short = AttributeDescription(
            "title", .string, isOptional: true, defaultValue: "x",
            validationRules: [.minimumLength(2)])
        var indexed = AttributeDescription("title", .string)
        indexed.isIndexed = true

        #expect(try Self.kinds(transformable) == [.noTransformer])
        #expect(try Self.kinds(empty) == [.emptyRange])
        #expect(try Self.kinds(short) == [.invalidDefault])
        #expect(try Self.kinds(indexed) == [.legacyIndex])
    }

    @Test func `warns of entities and names`() throws {
        let attribute = PropertyDescription.attribute("title", .string)

        #expect(
            try Self.kinds(EntityDescription("Book", isAbstract: true, [attribute]))
                == [.abstractWithoutSubentities])
        #expect(try Self.kinds(EntityDescription("Book")) == [.noProperties])
        #expect(try Self.kinds(EntityDescription("book", [attribute])) == [.invalidSwiftName])
        #expect(
            try Self.kinds(EntityDescription("Book", [.attribute("Title", .string)]))
                == [.invalidSwiftName])
        #expect(
            try Self.kinds(EntityDescription("Book", [.attribute("description", .string)]))
                == [.reservedName])
    }

    @Test func `warns of a fetch request that cannot be read`() throws {
        var description = ModelDescription([EntityDescription("Book", [.attribute("a", .string)])])
        description.fetchRequestTemplates = [
            "odd": FetchRequestTemplate(
                entity: "Book", condition: .unreadable(text: "a ==", reason: "it ends"))
        ]

        let warnings = try ModelLinter(ManagedObjectModel(description)).warnings()

        #expect(warnings.map(\.kind) == [.unreadablePredicate])
        #expect(warnings[0].description.contains("“odd”"))
    }
}
