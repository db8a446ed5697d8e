import Cairn
import Foundation
import Testing

/// A minimal example of one kind of change between two versions of a model.
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
    static let all: [ChangeCase] =
        entityCases + attributeCases + relationshipCases + hierarchyCases + exchangeCases

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

    static func changed(
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
                    // Comparing only the hashes would show no change.
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
            ChangeCase(
                "an attribute is added beside a transformable one",
                library.changing("Book") {
                    $0.properties.append(.attribute("notes", .transformable))
                },
                library.changing("Book") {
                    $0.properties.append(.attribute("notes", .transformable))
                    $0.properties.append(.attribute("isbn", .string))
                }),
            ChangeCase(
                "a transformable attribute is renamed",
                library.changing("Book") {
                    $0.properties.append(.attribute("notes", .transformable))
                },
                library.changing("Book") {
                    $0.properties.append(
                        .attribute(.renamed("remarks", .transformable, from: "notes")))
                }),
            ChangeCase(
                "a derived attribute is added",
                library, library.changing("Author") { $0.properties.append(.attribute(.bookCount)) }
            ),
            ChangeCase(
                "a derived attribute is removed",
                library.changing("Author") { $0.properties.append(.attribute(.bookCount)) }, library
            ),
            ChangeCase(
                "a derived attribute is renamed",
                library.changing("Author") { $0.properties.append(.attribute(.bookCount)) },
                library.changing("Author") {
                    var count = AttributeDescription.bookCount
                    count.name = "works"
                    count.renamingIdentifier = "bookCount"
                    $0.properties.append(.attribute(count))
                }),
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
}
