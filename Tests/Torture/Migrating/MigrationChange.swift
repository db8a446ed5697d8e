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
    /// Removes an attribute whose column the program drops later.
    case deferred
    /// Executes a mapping model, with a policy for one of its entities.
    case mapping
    /// Runs code before the step, for each object, and after the step. It changes and inserts objects.
    case code
    /// Splits an entity: code inserts the new objects into the store that is migrated, and the program then moves
    /// them to a second store, some at a time.
    case split

    static func changes(of engine: StoreType) -> [MigrationChange] {
        allCases.filter { change in
            switch change {
            // The other engines use a single file without a log, and drop nothing later.
            case .external, .log, .deferred: engine == .sqlite
            default: true
            }
        }
    }

    /// The names of the stores' files.
    var fileNames: [String] {
        self == .together || self == .split ? ["first", "second"] : ["store"]
    }

    /// Returns the configuration of the store with a file name, or `nil` if the store holds all entities.
    func configuration(ofStore name: String) -> String? { self == .split ? name : nil }

    /// Whether an engine that can change stores in place may do so.
    var allowsInPlace: Bool { ![.mapping, .code, .split].contains(self) }

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
            (try? (change.model(change.old), change.model(change.new))).map {
                (change, (old: $0.0, new: $0.1))
            }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }()

    private func model(_ entities: [EntityDescription]) throws -> ManagedObjectModel {
        var description = ModelDescription(entities)
        if self == .split {
            let names = Set(entities.map(\.name))
            description.configurations = [
                "first": names.subtracting(["Pen"]),
                "second": names.intersection(["Note", "Pen"]),
            ].mapValues { $0.sorted() }
        }
        return try ManagedObjectModel(description)
    }

    // MARK: Entities

    private var old: [EntityDescription] {
        switch self {
        case .attributes, .log, .together, .mapping, .code: Self.library([Self.text("title")])
        case .deferred: Self.library([Self.text("title"), Self.text("draft")])
        case .split:
            Self.library([Self.text("title")]) + [EntityDescription("Pen", [Self.text("color")])]
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
        case .together, .deferred: Self.library([Self.text("isbn"), Self.text("title")])
        case .mapping: Self.library([Self.text("heading"), Self.origin])
        case .code:
            Self.library([Self.text("isbn"), Self.text("title")])
                + [EntityDescription("Note", [Self.text("text"), Self.origin])]
        case .split:
            Self.library([Self.text("isbn"), Self.text("title")]) + [
                // Changed as well, because XML and Binary stores are not migrated for a new entity.
                EntityDescription("Pen", [Self.text("color"), Self.text("maker")]),
                EntityDescription("Note", [Self.text("text"), Self.origin]),
            ]
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

    /// The key of the old object for which an object was made.
    private static let origin = PropertyDescription.attribute("origin", .integer64)

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
