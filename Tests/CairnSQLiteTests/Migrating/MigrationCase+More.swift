import CairnModel

extension MigrationCase {
    // MARK: Relationships

    static let relationships: [MigrationCase] = [
        MigrationCase(
            "relationships are added",
            .add(.toOne("editor", "Author", inverse: "edited"), to: "Book"),
            .add(.toMany("edited", "Book", inverse: "editor", isOrdered: true), to: "Author"),
            .add(.toMany("readers", "Author", inverse: "read"), to: "Book"),
            .add(.toMany("read", "Book", inverse: "readers", isOrdered: true), to: "Author"),
            .add(.toMany("wishes", "Book"), to: "Author"),
            .add(.toOne("best", "Book"), to: "Author")),
        MigrationCase(
            "relationships are removed", .remove("author", of: "Book"),
            .remove("books", of: "Author"), .remove("tags", of: "Book"),
            .remove("books", of: "Tag"),
            .remove("related", of: "Tag"), .remove("agent", of: "Author"),
            .remove("client", of: "Agent")),
        MigrationCase(
            "a to-one and its inverse are renamed",
            .relationship("author", of: "Book") {
                ($0.name, $0.renamingIdentifier, $0.inverse) = ("writer", "author", "works")
            },
            .relationship("books", of: "Author") {
                ($0.name, $0.renamingIdentifier, $0.inverse) = ("works", "books", "writer")
            }),
        MigrationCase(
            "a many-to-many and its inverse are renamed",
            .relationship("tags", of: "Book") {
                ($0.name, $0.renamingIdentifier, $0.inverse) = ("words", "tags", "volumes")
            },
            .relationship("books", of: "Tag") {
                ($0.name, $0.renamingIdentifier, $0.inverse) = ("volumes", "books", "words")
            }),
        MigrationCase(
            "an ordered many-to-many is renamed on one side",
            .relationship("shelves", of: "Book") {
                ($0.name, $0.renamingIdentifier) = ("boards", "shelves")
            },
            .relationship("books", of: "Shelf") { $0.inverse = "boards" }),
        MigrationCase(
            "orders are dropped",
            .relationship("chapters", of: "Book") { $0.isOrdered = false },
            .relationship("shelves", of: "Book") { $0.isOrdered = false }),
        MigrationCase(
            "orders are added", .relationship("books", of: "Author") { $0.isOrdered = true },
            .relationship("tags", of: "Book") { $0.isOrdered = true },
            .relationship("books", of: "Tag") { $0.isOrdered = true }),
        MigrationCase(
            "a to-one gets an inverse",
            .relationship("sequelTo", of: "Book") { $0.inverse = "sequels" },
            .add(.toMany("sequels", "Book", inverse: "sequelTo", isOrdered: true), to: "Book")),
        MigrationCase(
            "a to-one loses its inverse", .remove("chapters", of: "Book"),
            .relationship("book", of: "Chapter") { $0.inverse = nil }),
        MigrationCase(
            "a to-one leads to a superentity",
            from: LibraryModel.changed(
                LibraryModel.entities, .add(.toOne("debut", "Novel"), to: "Author")),
            .relationship("debut", of: "Author") { $0.destination = "Book" }),
    ]

    // MARK: Indexes and constraints

    private static let indexed = LibraryModel.changed(
        LibraryModel.entities,
        .entity("Book") {
            $0.fetchIndexes = [
                FetchIndexDescription("byTitle", elements: [.init("title")]),
                FetchIndexDescription(
                    "byBoth", elements: [.init("title"), .init("pages", isAscending: false)]),
            ]
        },
        .entity("Tag") { $0.uniquenessConstraints = [["word"]] },
        .entity("Author") {
            $0.properties += [.attribute("x", .double), .attribute("y", .double)]
            $0.fetchIndexes = [spatial]
        })

    private static let spatial = FetchIndexDescription(
        "where",
        elements: [
            .init(.property("x"), type: .rTree), .init(.property("y"), type: .rTree),
        ])

    static let indexes: [MigrationCase] = [
        MigrationCase(
            "indexes and constraints are added",
            .entity("Book") {
                $0.fetchIndexes = [
                    FetchIndexDescription("byTitle", elements: [.init("title"), .init("pages")])
                ]
            },
            .entity("Tag") { $0.uniquenessConstraints = [["word"]] }),
        MigrationCase(
            "indexes and constraints are removed", from: indexed,
            .entity("Book") { $0.fetchIndexes = [] },
            .entity("Tag") { $0.uniquenessConstraints = [] },
            .entity("Author") { $0.fetchIndexes = [] }),
        MigrationCase(
            "a constraint covers more", from: indexed,
            .add(.attribute("language", .string), to: "Tag"),
            .entity("Tag") { $0.uniquenessConstraints = [["word", "language"]] }),
        MigrationCase(
            "an entity with indexes is renamed", from: indexed, ignoresJoinNames: true,
            .rename("Book", to: "Volume"),
            .rename("Tag", to: "Label"), .rename("Author", to: "Zealot")),
        MigrationCase(
            "an indexed attribute is renamed", from: indexed,
            .renameAttribute("title", of: "Book", to: "name"),
            .renameAttribute("x", of: "Author", to: "z"),
            .entity("Author") {
                $0.fetchIndexes = [
                    FetchIndexDescription(
                        "where",
                        elements: [
                            .init(.property("z"), type: .rTree),
                            .init(.property("y"), type: .rTree),
                        ])
                ]
            },
            .entity("Book") {
                $0.fetchIndexes = [
                    FetchIndexDescription("byTitle", elements: [.init("name")]),
                    FetchIndexDescription(
                        "byBoth", elements: [.init("name"), .init("pages", isAscending: false)]),
                ]
            }),
        MigrationCase(
            "an indexed attribute is removed", from: indexed, .remove("title", of: "Book"),
            .remove("x", of: "Author"), .entity("Author") { $0.fetchIndexes = [] },
            .entity("Book") { $0.fetchIndexes = [] }),
        MigrationCase(
            "an R-tree is added",
            .entity("Book") {
                $0.properties.append(.attribute("width", .double))
                $0.fetchIndexes = [
                    FetchIndexDescription(
                        "size",
                        elements: [
                            .init(.property("pages"), type: .rTree),
                            .init(.property("width"), type: .rTree),
                        ])
                ]
            }),
        MigrationCase(
            "an R-tree stays while entities are renumbered", from: indexed,
            .add(EntityDescription("Aardvark", [.attribute("kind", .string)]))),
    ]

    // MARK: Types

    private static let widerTypes: [(AttributeType, [AttributeType])] = [
        (.boolean, [.integer16, .integer64, .decimal, .double, .float]),
        (.integer16, [.integer32, .integer64, .decimal, .double, .float, .string]),
        (.integer32, [.integer64, .decimal, .double, .string]),
        (.integer64, [.decimal, .string]), (.float, [.double]), (.uuid, [.string]),
        (.uri, [.string]),
    ]

    static let types: [MigrationCase] = widerTypes.map { old, types in
        let names = types.map { "to\($0)" }
        return MigrationCase(
            "values of type \(old) become those of wider types",
            from: LibraryModel.changed(
                LibraryModel.entities,
                .entity("Book") { entity in
                    for name in names { entity.properties.append(.attribute(name, old)) }
                    entity.fetchIndexes = [
                        FetchIndexDescription("byType", elements: [.init(names[0])])
                    ]
                }),
            Change { entities in
                zip(names, types).reduce(entities) { entities, change in
                    Change.attribute(change.0, of: "Book") { $0.type = change.1 }.apply(entities)
                }
            })
    }

    // MARK: Names

    private static let strange = [
        EntityDescription(
            "it's \"so\"",
            [
                .attribute("a \"b\" 'c'; DROP TABLE x", .string), .attribute("pk", .integer32),
                .toMany("many's", "it's \"so\"", inverse: "one's"),
                .toOne("one's", "it's \"so\"", inverse: "many's"),
                .toMany("p\"airs", "it's \"so\"", inverse: "p\"airs2"),
                .toMany("p\"airs2", "it's \"so\"", inverse: "p\"airs"),
            ]
        ).with { $0.uniquenessConstraints = [["a \"b\" 'c'; DROP TABLE x"]] },
        EntityDescription("Größe", [.attribute("ß", .string), .attribute("ı", .string)]),
        EntityDescription("metadata", [.attribute("ent", .string), .attribute("Ent", .integer16)]),
    ]

    static let names: [MigrationCase] = [
        MigrationCase(
            "hostile names are added", .add(strange[0]), .add(strange[1]), .add(strange[2])),
        MigrationCase(
            "an entity comes before hostile names", from: strange,
            .add(EntityDescription("A\"a", [.attribute("x'y", .string)])),
            .add(.attribute("new\"one", .string), to: "it's \"so\"")),
        MigrationCase(
            "hostile names are renamed", from: strange, .rename("it's \"so\"", to: "was 'so'"),
            .rename("Größe", to: "größe\"2"), .renameAttribute("ß", of: "größe\"2", to: "s\"s"),
            .renameAttribute("Ent", of: "metadata", to: "opt")),
        MigrationCase(
            "hostile names are removed", from: strange + [EntityDescription("Rest")],
            .remove("it's \"so\""), .remove("metadata"), .remove("ß", of: "Größe")),
        MigrationCase(
            "names that clash in a column get other numbers", .remove("note", of: "Comic"),
            .add(EntityDescription("Diary", superentity: "Book", [.attribute("note", .integer32)]))),
        MigrationCase(
            "the first of two clashing names is the last", .rename("Comic", to: "Zine")),
    ]

    // MARK: Derived attributes

    private static let derived = LibraryModel.changed(
        LibraryModel.entities, .add(.attribute(bookCount), to: "Author"))

    private static let bookCount: AttributeDescription = {
        var attribute = AttributeDescription("bookCount", .integer32)
        attribute.derivation = Derivation(expression: "books.@count")
        return attribute
    }()

    static let derivations: [MigrationCase] = [
        MigrationCase("a count is added", .add(.attribute(bookCount), to: "Author")),
        MigrationCase("a count changes with the members", from: derived, .remove("Comic")),
        MigrationCase(
            "a count stays while entities are renamed and renumbered", from: derived,
            .rename("Author", to: "Writer"), .add(EntityDescription("Aardvark"))),
        MigrationCase("a count is removed", from: derived, .remove("bookCount", of: "Author")),
    ]
}
