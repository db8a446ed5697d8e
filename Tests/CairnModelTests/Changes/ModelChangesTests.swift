import Testing

@testable import CairnModel

@Suite struct `Changes of a model` {
    private static func lines(
        _ old: [EntityDescription], _ new: [EntityDescription]
    ) throws -> [String] {
        try ModelChanges(from: ManagedObjectModel(old), to: ManagedObjectModel(new)).lines
    }

    private static func named(
        _ name: String, from identifier: String, _ type: AttributeType = .string
    ) -> PropertyDescription {
        var attribute = AttributeDescription(name, type)
        attribute.renamingIdentifier = identifier
        return .attribute(attribute)
    }

    private static let book = EntityDescription("Book", [.attribute("title", .string)])

    @Test func `are none between equal models`() throws {
        let model = try ManagedObjectModel([Self.book])

        let changes = try ModelChanges(from: model, to: ManagedObjectModel([Self.book]))

        #expect(changes.isEmpty)
        #expect(!changes.requiresMigration)
        #expect(changes.description.isEmpty)
    }

    @Test func `name properties that were added and renamed`() throws {
        let new = EntityDescription(
            "Book", [.attribute("isbn", .string), Self.named("name", from: "title")])

        let lines = try Self.lines([Self.book], [new])

        #expect(
            lines == ["Book: attribute isbn was added; attribute title was renamed to name"])
    }

    @Test func `name entities that were added, removed and renamed`() throws {
        var novel = EntityDescription("Novel", [.attribute("title", .string)])
        novel.renamingIdentifier = "Book"

        let lines = try Self.lines(
            [Self.book, EntityDescription("Shelf")], [novel, EntityDescription("Author")])

        #expect(lines == ["Author was added", "Book was renamed to Novel", "Shelf was removed"])
    }

    @Test func `follow a part that is renamed twice`() throws {
        let first = EntityDescription("Car", [.attribute("color", .string)])
        let second = EntityDescription("Car", [Self.named("paint", from: "color")])
        let kept = EntityDescription("Car", [Self.named("coat", from: "color")])
        let relative = EntityDescription("Car", [Self.named("coat", from: "paint")])

        #expect(try Self.lines([second], [kept]) == ["Car: attribute paint was renamed to coat"])
        #expect(
            try Self.lines([second], [relative]) == ["Car: attribute paint was renamed to coat"])
        #expect(try Self.lines([first], [kept]) == ["Car: attribute color was renamed to coat"])
        #expect(try Self.lines([second], [first]) == ["Car: attribute paint was renamed to color"])
        #expect(try Self.lines([second], [second]) == [])
    }

    @Test func `report a name that two parts claim as contested`() throws {
        let new = EntityDescription(
            "Book", [.attribute("title", .string), Self.named("name", from: "title")])

        let changes = try ModelChanges(
            from: ManagedObjectModel([Self.book]), to: ManagedObjectModel([new]))

        #expect(
            changes.contestedNames == [
                ContestedName(entity: "Book", old: "title", claimants: ["name", "title"])
            ])
    }

    @Test func `list the differences of each setting`() throws {
        var before = AttributeDescription("pages", .integer16)
        before.defaultValue = 1
        var after = AttributeDescription("pages", .integer32)
        after.isOptional = false
        after.defaultValue = 2
        after.validationRules = [.minimum(1)]
        let old = [
            EntityDescription(
                "Book", [.attribute(before), .toOne("author", "Author", inverse: "books")]),
            EntityDescription("Author", [.toMany("books", "Book", inverse: "author")]),
        ]
        var new = old
        new[0].properties[0] = .attribute(after)
        new[0].uniquenessConstraints = [["pages"]]
        new[0].fetchIndexes = [FetchIndexDescription("byPages", elements: [.init("pages")])]
        new[1].properties = [
            .toMany("books", "Book", inverse: "author", isOrdered: true, deleteRule: .cascade)
        ]

        let lines = try Self.lines(old, new)

        #expect(
            lines == [
                "Author: relationship books is now ordered and has the delete rule cascade instead"
                    + " of nullify",
                "Book: attribute pages is now required, changed its type from integer16 to"
                    + " integer32, has the default value 2 instead of 1 and has other validation"
                    + " rules; uniqueness constraint (pages) was added; index byPages was added",
            ])
    }

    @Test func `are reported once for a whole hierarchy`() throws {
        let old = [
            EntityDescription("Vehicle", [.attribute("id", .string)]),
            EntityDescription("Car", superentity: "Vehicle", [.attribute("doors", .integer16)]),
        ]
        var new = old
        new[0].properties.append(.attribute("weight", .double))

        let changes = try ModelChanges(
            from: ManagedObjectModel(old), to: ManagedObjectModel(new))

        #expect(changes.lines == ["Vehicle: attribute weight was added"])
        #expect(changes.entities.map(\.name) == ["Car", "Vehicle"])
        #expect(changes.entities[0].properties.map(\.isInherited) == [true])
    }

    @Test func `show a property moved to a superentity as moved, not as new`() throws {
        let old = [
            EntityDescription("Vehicle", []),
            EntityDescription("Bike", superentity: "Vehicle"),
            EntityDescription("Car", superentity: "Vehicle", [.attribute("doors", .integer16)]),
        ]
        var new = old
        new[0].properties = old[2].properties
        new[2].properties = []

        let lines = try Self.lines(old, new)

        #expect(
            lines == [
                "Car: attribute doors moved from Car to Vehicle",
                "Vehicle: attribute doors was added",
            ])
    }

    @Test func `do not include mere consequences of a renamed entity`() throws {
        let old = [
            EntityDescription("Book", [.toOne("author", "Author", inverse: "books")]),
            EntityDescription("Author", [.toMany("books", "Book", inverse: "author")]),
            EntityDescription("Poet", superentity: "Author"),
        ]
        var author = EntityDescription("Writer", [.toMany("works", "Book", inverse: "author")])
        author.renamingIdentifier = "Author"
        if case .relationship(var works) = author.properties[0] {
            works.renamingIdentifier = "books"
            author.properties[0] = .relationship(works)
        }
        let new = [
            EntityDescription("Book", [.toOne("author", "Writer", inverse: "works")]), author,
            EntityDescription("Poet", superentity: "Writer"),
        ]

        let lines = try Self.lines(old, new)

        #expect(
            lines == ["Author was renamed to Writer: relationship books was renamed to works"])
    }

    @Test func `cover configurations, fetch requests, composites and identifiers`() throws {
        var old = ModelDescription([Self.book])
        old.configurations = ["Local": ["Book"]]
        old.fetchRequestTemplates = ["all": .init(entity: "Book")]
        old.versionIdentifiers = ["1"]
        old.composites = [CompositeDescription("Place", [AttributeDescription("x", .double)])]
        var new = old
        new.configurations = ["Cloud": ["Book"], "Local": []]
        new.fetchRequestTemplates["all"]?.fetchLimit = 1
        new.versionIdentifiers = ["2"]
        new.composites = [CompositeDescription("Place", [AttributeDescription("x", .float)])]

        let changes = try ModelChanges(
            from: ManagedObjectModel(old), to: ManagedObjectModel(new))

        #expect(!changes.requiresMigration)
        #expect(
            changes.lines == [
                "composite Place: attribute x changed its type from double to float",
                "configuration Cloud was added", "configuration Local was changed",
                "fetch request all was changed", "version identifier “2” was added",
                "version identifier “1” was removed",
            ])
    }
}
