import Cairn

/// A change of a model through which stores are migrated.
///
/// To add a change, add a case with its entities and, unless all engines try it, the engines that do.
enum MigrationChange: String, Codable, Sendable, CaseIterable {
    /// Adds an attribute, renames another, and adds an entity whose name sorts first.
    case attributes
    /// Turns a to-one relationship into a to-many relationship, and keeps its order.
    case order
    /// Removes one of two attributes with external values.
    case external
    /// Migrates two stores together. Each gains an attribute.
    case together
    /// Like ``attributes``, but the last writer of the store was killed and left a log.
    case log

    static func changes(of engine: StoreType) -> [MigrationChange] {
        allCases.filter { change in
            switch change {
            // The other engines use a single file without a log.
            case .external, .log: engine == .sqlite
            default: true
            }
        }
    }

    /// The names of the stores' files.
    var fileNames: [String] { self == .together ? ["first", "second"] : ["store"] }

    /// Whether the writer closes the stores.
    var isClosed: Bool { self != .log }

    /// The two versions of the model. They are compiled once, before processes are forked.
    var versions: (old: ManagedObjectModel, new: ManagedObjectModel) {
        get throws {
            guard let versions = Self.compiled[self] else {
                throw HarnessFailure("a model of \(rawValue) is not valid")
            }
            return versions
        }
    }

    static let compiled: [Self: (old: ManagedObjectModel, new: ManagedObjectModel)] = {
        let pairs = allCases.compactMap { change in
            (try? (ManagedObjectModel(change.old), ManagedObjectModel(change.new))).map {
                (change, (old: $0.0, new: $0.1))
            }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }()

    // MARK: Entities

    private var old: [EntityDescription] {
        switch self {
        case .attributes, .log, .together: Self.library([Self.text("title")])
        case .external: Self.library([Self.text("title"), Self.file("photo"), Self.file("scan")])
        case .order:
            Self.pair(.toOne("author", "Author", inverse: "books"))
        }
    }

    private var new: [EntityDescription] {
        switch self {
        case .attributes, .log:
            Self.library([Self.text("isbn"), Self.text("name", from: "title")])
                + [EntityDescription("Aaa", [Self.text("text")])]
        case .together: Self.library([Self.text("isbn"), Self.text("title")])
        case .external: Self.library([Self.text("isbn"), Self.text("title"), Self.file("scan")])
        case .order:
            Self.pair(.toMany("author", "Author", inverse: "books", isOrdered: true))
        }
    }

    /// Returns authors, books and tags. The books have the given additional attributes.
    private static func library(_ attributes: [PropertyDescription]) -> [EntityDescription] {
        let properties: [PropertyDescription] = [
            .attribute("cover", .binary), .attribute("pages", .integer16),
            .toOne("author", "Author", inverse: "books"),
            .toMany("tags", "Tag", inverse: "books", isOrdered: true),
        ]
        return [
            EntityDescription(
                "Author", [text("name"), .toMany("books", "Book", inverse: "author")]),
            EntityDescription("Book", attributes + properties),
            EntityDescription("Tag", [text("word"), .toMany("books", "Book", inverse: "tags")]),
        ]
    }

    private static func pair(_ author: PropertyDescription) -> [EntityDescription] {
        [
            EntityDescription(
                "Author",
                [text("name"), .toMany("books", "Book", inverse: "author", isOrdered: true)]),
            EntityDescription("Book", [text("title"), author]),
        ]
    }

    private static func text(_ name: String) -> PropertyDescription {
        .attribute(name, .string)
    }

    /// Returns a text attribute that was renamed.
    private static func text(_ name: String, from oldName: String) -> PropertyDescription {
        var attribute = AttributeDescription(name, .string)
        attribute.renamingIdentifier = oldName
        return .attribute(attribute)
    }

    private static func file(_ name: String) -> PropertyDescription {
        var attribute = AttributeDescription(name, .binary)
        attribute.allowsExternalBinaryDataStorage = true
        return .attribute(attribute)
    }
}
