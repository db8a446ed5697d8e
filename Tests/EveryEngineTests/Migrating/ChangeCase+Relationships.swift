import Cairn

extension ChangeCase {
    private static func pair(
        _ books: PropertyDescription, _ authors: PropertyDescription? = nil
    ) -> [EntityDescription] {
        [
            EntityDescription("Author", [.attribute("name", .string), books]),
            EntityDescription("Book", [title] + (authors.map { [$0] } ?? [])),
        ]
    }

    private static let oneToMany = pair(
        .toMany("books", "Book", inverse: "author"), .toOne("author", "Author", inverse: "books"))
    private static let oneToManyOrdered = pair(
        .toMany("books", "Book", inverse: "author", isOrdered: true),
        .toOne("author", "Author", inverse: "books"))
    private static let manyToMany = pair(
        .toMany("books", "Book", inverse: "author"), .toMany("author", "Author", inverse: "books"))
    private static let manyToManyOrdered = pair(
        .toMany("books", "Book", inverse: "author", isOrdered: true),
        .toMany("author", "Author", inverse: "books", isOrdered: true))
    private static let oneToOne = pair(
        .toOne("books", "Book", inverse: "author"), .toOne("author", "Author", inverse: "books"))
    private static let oneWayToOne = pair(.toOne("books", "Book"))
    private static let oneWayToMany = pair(.toMany("books", "Book"))

    static let relationshipCases: [ChangeCase] = [
        changed("a to-one is added", "Tag") { $0.properties.append(.toOne("owner", "Author")) },
        changed("a to-many is added", "Tag") { $0.properties.append(.toMany("rivals", "Tag")) },
        changed("a required to-many that may be empty is added", "Tag") {
            $0.properties.append(.toMany("rivals", "Tag", isOptional: false))
        },
        ChangeCase(
            "a to-many becomes required but may be empty", oneToMany,
            pair(
                .toMany("books", "Book", inverse: "author", isOptional: false),
                .toOne("author", "Author", inverse: "books"))),
        ChangeCase(
            "a relationship is removed", library,
            library.changing("Book") { $0.properties.removeAll { $0.name == "tags" } }
                .changing("Tag") { $0.properties.removeAll { $0.name == "books" } }),
        ChangeCase(
            "both ends are renamed", library,
            library.changing("Book") { book in
                book.properties.removeAll { $0.name == "tags" }
                book.properties.append(
                    .relationship(
                        .renamed(
                            .toMany("labels", "Tag", inverse: "volumes", isOrdered: true),
                            from: "tags")))
            }.changing("Tag") { tag in
                tag.properties.removeAll { $0.name == "books" }
                tag.properties.append(
                    .relationship(
                        .renamed(.toMany("volumes", "Book", inverse: "labels"), from: "books")))
            }),
        ChangeCase("to-one becomes to-many, with an inverse", oneToMany, manyToMany),
        ChangeCase("to-one becomes to-many, in an order", oneToManyOrdered, manyToManyOrdered),
        ChangeCase("one-to-one becomes one-to-many", oneToOne, oneToMany),
        ChangeCase("one-to-one becomes one-to-many in an order", oneToOne, oneToManyOrdered),
        ChangeCase("to-one becomes to-many, without an inverse", oneWayToOne, oneWayToMany),
        ChangeCase("a to-many gets an order", oneToMany, oneToManyOrdered),
        ChangeCase("a to-many loses its order", oneToManyOrdered, oneToMany),
        ChangeCase("both ends get an order", manyToMany, manyToManyOrdered),
        ChangeCase("both ends lose their order", manyToManyOrdered, manyToMany),
        ChangeCase(
            "a to-one gets an inverse to-many", oneWayToOne,
            [
                EntityDescription(
                    "Author",
                    [.attribute("name", .string), .toOne("books", "Book", inverse: "author")]),
                EntityDescription("Book", [title, .toMany("author", "Author", inverse: "books")]),
            ]),
        ChangeCase(
            "a to-one gets an ordered inverse", oneWayToOne,
            [
                EntityDescription(
                    "Author",
                    [.attribute("name", .string), .toOne("books", "Book", inverse: "author")]),
                EntityDescription(
                    "Book", [title, .toMany("author", "Author", inverse: "books", isOrdered: true)]),
            ]),
        ChangeCase("a to-many gets an inverse to-many", oneWayToMany, manyToMany),
        ChangeCase("a to-many gets an ordered inverse", oneWayToMany, manyToManyOrdered),
        ChangeCase(
            "a to-many gets an inverse that owns the pairs",
            pair(.attribute("x", .string), .toMany("author", "Author")),
            pair(
                .toMany("books", "Book", inverse: "author", isOrdered: true),
                .toMany("author", "Author", inverse: "books"))),
        ChangeCase("a many-to-many loses its inverse", manyToMany, oneWayToMany),
        ChangeCase("a one-to-many loses its to-one", oneToMany, oneWayToMany),
        ChangeCase(
            "the owning side changes",
            [
                EntityDescription(
                    "Author", [.toMany("books", "Book", inverse: "authors", isOrdered: true)]),
                EntityDescription("Book", [.toMany("authors", "Author", inverse: "books")]),
            ],
            [
                EntityDescription(
                    "Zzz",
                    [
                        .relationship(
                            .renamed(
                                .toMany("works", "Book", inverse: "authors", isOrdered: true),
                                from: "books"))
                    ]
                ).renamed(from: "Author"),
                EntityDescription("Book", [.toMany("authors", "Zzz", inverse: "works")]),
            ]),
    ]
}
