import Cairn
import Foundation
import Testing

/// One kind of change between two versions of a model, as small as it can be.
struct ChangeCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let old: [EntityDescription]
    let new: [EntityDescription]

    init(_ words: String, _ old: [EntityDescription], _ new: [EntityDescription]) {
        testDescription = words
        self.old = old
        self.new = new
    }

    /// Every kind of change that can be inferred.
    static let all: [ChangeCase] = entityCases + attributeCases + relationshipCases + hierarchyCases

    // MARK: The model before

    static let title = PropertyDescription.attribute("title", .string)
    static let author = EntityDescription(
        "Author", [.attribute("name", .string), .toMany("books", "Book", inverse: "author")])
    static let book = EntityDescription(
        "Book",
        [
            title, .attribute("cover", .binary), .attribute("pages", .integer16),
            .toOne("author", "Author", inverse: "books"),
            .toMany("tags", "Tag", inverse: "books", isOrdered: true),
        ])
    static let tag = EntityDescription(
        "Tag", [.attribute("word", .string), .toMany("books", "Book", inverse: "tags")])
    static let library = [author, book, tag]

    private static func changed(
        _ words: String, _ entity: String, _ change: (inout EntityDescription) -> Void
    ) -> ChangeCase {
        ChangeCase(words, library, library.changing(entity, change))
    }

    // MARK: Entities

    private static let entityCases: [ChangeCase] = [
        ChangeCase("an entity is added in front", library, library + [EntityDescription("Aaa")]),
        ChangeCase(
            "an entity is added in the middle", library,
            library + [EntityDescription("Bread", [.toOne("book", "Book")])]),
        ChangeCase("an entity is added at the end", library, library + [EntityDescription("Zoo")]),
        ChangeCase(
            "a subentity is added", library,
            library + [
                EntityDescription("Atlas", superentity: "Book", [.attribute("scale", .double)])
            ]),
        ChangeCase(
            "an entity is removed", library + [EntityDescription("Loan", [.toOne("book", "Book")])],
            library),
        ChangeCase(
            "an entity that others lead to is removed", library,
            [author, book].changing("Book") { $0.properties.removeAll { $0.name == "tags" } }),
        ChangeCase(
            "a subentity is removed",
            library + [
                EntityDescription("Atlas", superentity: "Book", [.attribute("scale", .double)])
            ],
            library),
        ChangeCase(
            "an entity is renamed", library,
            library.changing("Book") {
                $0.name = "Volume"
                $0.renamingIdentifier = "Book"
            }.retargeting("Book", to: "Volume")),
        changed("only the hash modifier differs", "Book") { $0.versionHashModifier = "2" },
        changed("a constraint is new", "Book") { $0.uniquenessConstraints = [["pages"]] },
        ChangeCase(
            "a constraint is dropped",
            library.changing("Book") { $0.uniquenessConstraints = [["pages"]] },
            library.changing("Book") { $0.versionHashModifier = "2" }),
        changed("an index is new", "Book") {
            $0.fetchIndexes = [FetchIndexDescription("byTitle", elements: [.init("title")])]
            $0.versionHashModifier = "2"
        },
        ChangeCase(
            "an index is dropped",
            library.changing("Book") {
                $0.fetchIndexes = [FetchIndexDescription("byTitle", elements: [.init("title")])]
            }, library.changing("Book") { $0.versionHashModifier = "2" }),
    ]

    // MARK: Attributes

    private static let attributeCases: [ChangeCase] =
        [
            changed("an optional attribute is added", "Book") {
                $0.properties.append(.attribute("isbn", .string))
            },
            changed("a required attribute with a default is added", "Book") {
                $0.properties.append(
                    .attribute("state", .string, isOptional: false, defaultValue: .string("new")))
            },
            changed("an attribute is removed", "Book") {
                $0.properties.removeAll { $0.name == "pages" }
            },
            changed("an attribute is renamed", "Book") {
                $0.properties.removeAll { $0.name == "title" }
                var name = AttributeDescription("name", .string)
                name.renamingIdentifier = "title"
                $0.properties.append(.attribute(name))
            },
            ChangeCase(
                "two attributes exchange their names",
                library.changing("Author") { $0.properties.append(.attribute("word", .string)) },
                library.changing("Author") { author in
                    // The hashes alone would say that nothing changed.
                    author.versionHashModifier = "2"
                    author.properties = [
                        .attribute(.renamed("name", .string, from: "word")),
                        .attribute(.renamed("word", .string, from: "name")),
                        .toMany("books", "Book", inverse: "author"),
                    ]
                }),
            changed("an attribute becomes required", "Book") {
                $0.properties.removeAll { $0.name == "title" }
                $0.properties.append(
                    .attribute("title", .string, isOptional: false, defaultValue: .string("?")))
            },
            ChangeCase(
                "an attribute becomes optional",
                library.changing("Book") {
                    $0.properties.removeAll { $0.name == "title" }
                    $0.properties.append(
                        .attribute("title", .string, isOptional: false, defaultValue: .string("?")))
                }, library),
            changed("an attribute may be kept in files", "Book") {
                $0.properties.removeAll { $0.name == "cover" }
                var cover = AttributeDescription("cover", .binary)
                cover.allowsExternalBinaryDataStorage = true
                $0.properties.append(.attribute(cover))
            },
            ChangeCase(
                "an attribute is no longer kept in files",
                library.changing("Book") {
                    $0.properties.removeAll { $0.name == "cover" }
                    $0.properties.append(.attribute(.external("cover")))
                }, library),
            ChangeCase(
                "an attribute that is kept in files stays",
                library.changing("Book") { $0.properties.append(.attribute(.external("scan"))) },
                library.changing("Book") {
                    $0.properties.append(.attribute(.external("scan")))
                    $0.properties.append(.attribute("isbn", .string))
                }),
            ChangeCase(
                "an attribute that is kept in files becomes required",
                library.changing("Book") { $0.properties.append(.attribute(.external("scan"))) },
                library.changing("Book") {
                    var scan = AttributeDescription.external("scan")
                    scan.isOptional = false
                    scan.defaultValue = .binary(Data([1, 2, 3]))
                    $0.properties.append(.attribute(scan))
                }),
            ChangeCase(
                "an attribute that is kept in files is removed",
                library.changing("Book") {
                    $0.properties.append(.attribute(.external("scan")))
                    $0.properties.append(.attribute(.external("photo")))
                }, library.changing("Book") { $0.properties.append(.attribute(.external("photo"))) }
            ),
            changed("a transient attribute becomes persistent", "Book") {
                $0.properties.append(
                    .attribute("cached", .integer32, isOptional: false, defaultValue: .integer(7)))
            },
        ] + typeCases

    private static let typeCases: [ChangeCase] = {
        let types: [AttributeType] = [
            .boolean, .integer16, .integer32, .integer64, .float, .uuid, .uri, .double, .decimal,
            .string,
        ]
        return types.flatMap { from in
            types.filter { from != $0 && from.convertsLosslessly(to: $0) }.map { to in
                ChangeCase(
                    "the type changes from \(from) to \(to)",
                    [EntityDescription("Thing", [.attribute("value", from)])],
                    [EntityDescription("Thing", [.attribute("value", to)])])
            }
        }
    }()

    // MARK: Relationships

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

    private static let relationshipCases: [ChangeCase] = [
        changed("a to-one is added", "Tag") { $0.properties.append(.toOne("owner", "Author")) },
        changed("a to-many is added", "Tag") { $0.properties.append(.toMany("rivals", "Tag")) },
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

    // MARK: Hierarchies

    private static func item(_ properties: [PropertyDescription]) -> EntityDescription {
        EntityDescription("Item", isAbstract: true, properties)
    }

    private static let magazine = EntityDescription(
        "Magazine", superentity: "Item", [.attribute("issue", .integer32)])
    private static let pulledDown = [
        item([]), EntityDescription("Atlas", superentity: "Item", [title]), magazine,
        EntityDescription("Shelf", [.toMany("items", "Item")]),
    ]

    private static let rack = EntityDescription(
        "Rack", [.toOne("top", "Item"), .toMany("others", "Item", isOrdered: true)])

    private static let hierarchyCases: [ChangeCase] = [
        ChangeCase(
            "an attribute is pulled up", pulledDown,
            [
                item([title]), EntityDescription("Atlas", superentity: "Item"), magazine,
                EntityDescription("Shelf", [.toMany("items", "Item")]),
            ]),
        ChangeCase(
            "an attribute is pushed down",
            [
                item([title]), EntityDescription("Atlas", superentity: "Item"), magazine,
                EntityDescription("Shelf", [.toMany("items", "Item")]),
            ], pulledDown),
        ChangeCase(
            "an entity gets a new superentity", library,
            [author, tag, item([title])]
                + [book].changing("Book") {
                    $0.superentity = "Item"
                    $0.properties.removeAll { $0.name == "title" }
                }),
        ChangeCase(
            "an entity moves below a sibling", pulledDown,
            pulledDown.changing("Magazine") { $0.superentity = "Atlas" }),
        ChangeCase(
            "an entity leaves its hierarchy",
            [item([title]), EntityDescription("Atlas", superentity: "Item"), magazine],
            [
                item([title]), EntityDescription("Atlas", superentity: "Item"),
                EntityDescription("Magazine", [title, .attribute("issue", .integer32)]),
            ]),
        ChangeCase(
            "destinations leave a hierarchy",
            [item([title]), EntityDescription("Atlas", superentity: "Item"), magazine, rack],
            [
                item([title]), EntityDescription("Atlas", superentity: "Item"), rack,
                EntityDescription("Magazine", [title, .attribute("issue", .integer32)]),
            ]),
        ChangeCase(
            "an abstract entity becomes concrete", pulledDown,
            pulledDown.changing("Item") { $0.isAbstract = false }),
        ChangeCase(
            "a relationship is pulled up",
            [
                item([]), magazine,
                EntityDescription(
                    "Atlas", superentity: "Item", [.toOne("shelf", "Shelf", inverse: "items")]),
                EntityDescription("Shelf", [.toMany("items", "Atlas", inverse: "shelf")]),
            ],
            [
                item([.toOne("shelf", "Shelf", inverse: "items")]), magazine,
                EntityDescription("Atlas", superentity: "Item"),
                EntityDescription("Shelf", [.toMany("items", "Item", inverse: "shelf")]),
            ]),
    ]
}

extension [EntityDescription] {
    /// Returns the entities with one of them changed.
    func changing(_ name: String, _ change: (inout EntityDescription) -> Void) -> Self {
        map { entity in
            var entity = entity
            if entity.name == name { change(&entity) }
            return entity
        }
    }

    /// Returns the entities with every relationship to one of them leading to another name.
    func retargeting(_ name: String, to newName: String) -> Self {
        map { entity in
            var entity = entity
            entity.properties = entity.properties.map { property in
                guard case .relationship(var relationship) = property,
                    relationship.destination == name
                else { return property }
                relationship.destination = newName
                return .relationship(relationship)
            }
            return entity
        }
    }
}

extension EntityDescription {
    func renamed(from name: String) -> EntityDescription {
        var entity = self
        entity.renamingIdentifier = name
        return entity
    }
}

extension AttributeDescription {
    static func renamed(
        _ name: String, _ type: AttributeType, from oldName: String
    ) -> AttributeDescription {
        var attribute = AttributeDescription(name, type)
        attribute.renamingIdentifier = oldName
        return attribute
    }

    static func external(_ name: String) -> AttributeDescription {
        var attribute = AttributeDescription(name, .binary)
        attribute.allowsExternalBinaryDataStorage = true
        return attribute
    }
}

extension RelationshipDescription {
    static func renamed(
        _ property: PropertyDescription, from oldName: String
    ) -> RelationshipDescription {
        guard case .relationship(var relationship) = property else {
            preconditionFailure("a relationship is renamed")
        }
        relationship.renamingIdentifier = oldName
        return relationship
    }
}
