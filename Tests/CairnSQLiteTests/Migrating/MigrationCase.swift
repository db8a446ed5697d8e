import CairnModel
import Foundation
import Testing

/// A change to a model that can be made in place.
struct MigrationCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let old: [EntityDescription]
    let new: [EntityDescription]
    /// Whether the change affects the order of the two ends of a many-to-many relationship, so that a new
    /// store would use other names for its table.
    let ignoresJoinNames: Bool

    init(
        _ name: String, from old: [EntityDescription] = LibraryModel.entities,
        ignoresJoinNames: Bool = false, _ changes: Change...
    ) {
        testDescription = name
        self.old = old
        self.ignoresJoinNames = ignoresJoinNames
        new = changes.reduce(old) { $1.apply($0) }
    }

    static let all =
        attributes + entities + hierarchies + relationships + indexes + types + names + derivations

    // MARK: Attributes

    static let attributes: [MigrationCase] = [
        MigrationCase(
            "an optional attribute is added", .add(.attribute("isbn", .string), to: "Book")),
        MigrationCase(
            "attributes of each type are added with a default value",
            Change { entities in
                entities.map { entity in
                    entity.name != "Book"
                        ? entity : entity.with { $0.properties += Self.withDefaults }
                }
            }),
        MigrationCase("an attribute is removed", .remove("title", of: "Book")),
        MigrationCase(
            "an attribute of a subentity is removed", .remove("note", of: "Comic")),
        MigrationCase("an attribute is renamed", .renameAttribute("title", of: "Book", to: "name")),
        MigrationCase(
            "an attribute takes the name of one that is removed",
            .remove("genre", of: "Novel"), .renameAttribute("note", of: "Novel", to: "genre")),
        MigrationCase(
            "two attributes swap their names",
            .attribute("genre", of: "Novel") {
                // Without the modifier, the version hashes would not show the exchange.
                ($0.name, $0.renamingIdentifier) = ("swap", "genre")
                $0.versionHashModifier = "swapped"
            },
            .attribute("note", of: "Novel") {
                ($0.name, $0.renamingIdentifier) = ("genre", "note")
            },
            .attribute("swap", of: "Novel") { $0.name = "note" }),
        MigrationCase(
            "an optional attribute becomes required",
            .attribute("title", of: "Book") {
                ($0.isOptional, $0.defaultValue) = (false, .string("untitled"))
            },
            .attribute("pages", of: "Book") {
                ($0.isOptional, $0.defaultValue) = (false, .integer(-1))
            }),
        MigrationCase(
            "a transient attribute is stored, and a stored one transient",
            from: LibraryModel.changed(
                LibraryModel.entities, .attribute("pages", of: "Book") { $0.isTransient = true }),
            .attribute("pages", of: "Book") {
                $0.isTransient = false
                $0.defaultValue = .integer(7)
            },
            .attribute("title", of: "Book") { $0.isTransient = true }),
    ]

    private static let defaults: [(String, AttributeType, Value)] = [
        ("a", .integer16, .integer(-3)), ("b", .integer64, .integer(1 << 40)),
        ("c", .boolean, .boolean(true)), ("d", .double, .double(1.5)), ("e", .float, .float(2.25)),
        ("f", .decimal, .decimal(12.5)), ("g", .string, .string("it's \"so\"")),
        ("h", .date, .date(.init(timeIntervalSinceReferenceDate: 12.5))),
        ("i", .binary, .binary(.init([1, 2]))), ("j", .boolean, .boolean(false)),
    ]

    private static let withDefaults: [PropertyDescription] = defaults.map { name, type, value in
        .attribute(
            AttributeDescription("x" + name, type, isOptional: name > "e", defaultValue: value))
    }

    // MARK: Entities

    static let entities: [MigrationCase] =
        ["Aardvark", "Bookmark", "Zebra"].map { name in
            MigrationCase(
                "the entity \(name) is added",
                .add(
                    EntityDescription(
                        name,
                        [
                            .attribute("kind", .string), .toOne("book", "Book", inverse: "marks"),
                            .toMany("words", "Tag", inverse: "marks"),
                        ])),
                .add(.toMany("marks", name, inverse: "book"), to: "Book"),
                .add(.toMany("marks", name, inverse: "words"), to: "Tag"))
        } + [
            MigrationCase(
                "an entity is removed", .remove("Tag"), .remove("tags", of: "Book")),
            MigrationCase(
                "an entity is removed, and another takes its number", .remove("Agent"),
                .remove("agent", of: "Author"),
                .add(EntityDescription("Actor", [.attribute("role", .string)]))),
            MigrationCase("a subentity is removed", .remove("Comic")),
            MigrationCase(
                "the only root with a name in front is renamed", .rename("Agent", to: "Zoo")),
            MigrationCase(
                "a root is renamed", ignoresJoinNames: true, .rename("Book", to: "Volume")),
            MigrationCase("a subentity is renamed", .rename("Comic", to: "Strip")),
            MigrationCase(
                "the last root is renamed to be the first", ignoresJoinNames: true,
                .rename("Tag", to: "ATag")),
            MigrationCase(
                "two entities swap their names", .rename("Author", to: "Swap"),
                .rename("Chapter", to: "Author"), .rename("Swap", to: "Chapter"),
                .entity("Chapter") { $0.renamingIdentifier = "Author" }),
            MigrationCase(
                "an entity takes the name of one that is removed", .remove("Shelf"),
                .remove("shelves", of: "Book"), .rename("Chapter", to: "Shelf")),
        ]

    // MARK: Hierarchies

    static let hierarchies: [MigrationCase] = [
        MigrationCase(
            "subentities are added in the middle",
            .add(
                EntityDescription(
                    "Atlas", superentity: "Book",
                    [.attribute("note", .string), .attribute("scale", .integer32)])),
            .add(EntityDescription("Manga", superentity: "Comic", [.attribute("note2", .string)]))),
        MigrationCase(
            "an entity gets its first subentity",
            .add(EntityDescription("Poet", superentity: "Author", [.attribute("metre", .string)]))),
        MigrationCase(
            "an entity loses its only subentity",
            from: LibraryModel.changed(
                LibraryModel.entities,
                .add(
                    EntityDescription(
                        "Poet", superentity: "Author", [.attribute("metre", .string)]))),
            .remove("Poet")),
        MigrationCase(
            "a superentity is put above a root", ignoresJoinNames: true,
            .add(EntityDescription("Work", isAbstract: true, [.attribute("rights", .string)])),
            .entity("Book") { $0.superentity = "Work" }),
        MigrationCase(
            "an abstract superentity is taken away",
            from: LibraryModel.changed(
                LibraryModel.entities,
                .add(EntityDescription("Work", isAbstract: true, [.attribute("rights", .string)])),
                .entity("Book") { $0.superentity = "Work" }),
            ignoresJoinNames: true,
            .remove("Work"), .entity("Book") { $0.superentity = nil }),
        MigrationCase(
            "an entity moves in its hierarchy", .entity("Novel") { $0.superentity = "Comic" },
            .remove("note", of: "Novel")),
        MigrationCase(
            "an attribute is pulled up", .remove("note", of: "Comic"), .remove("note", of: "Novel"),
            .add(.attribute("note", .string), to: "Book")),
        MigrationCase(
            "an attribute of one subentity is pulled up", .remove("genre", of: "Novel"),
            .add(
                .attribute(
                    AttributeDescription(
                        "genre", .string, isOptional: false, defaultValue: .string("none"))),
                to: "Book")),
        MigrationCase(
            "an attribute is pushed down", .remove("title", of: "Book"),
            .add(.attribute("title", .string), to: "Comic"),
            .add(.attribute("title", .string), to: "Novel")),
        MigrationCase(
            "a relationship is pulled up",
            from: LibraryModel.changed(
                LibraryModel.entities, .remove("author", of: "Book"),
                .add(.toOne("author", "Author", inverse: "books"), to: "Novel"),
                .relationship("books", of: "Author") { $0.destination = "Novel" }),
            .remove("author", of: "Novel"),
            .add(.toOne("author", "Author", inverse: "books"), to: "Book"),
            .relationship("books", of: "Author") { $0.destination = "Book" }),
        MigrationCase(
            "an abstract entity becomes concrete",
            from: LibraryModel.changed(
                LibraryModel.entities, .entity("Book") { $0.isAbstract = true }),
            .entity("Book") { $0.isAbstract = false }),
    ]
}
