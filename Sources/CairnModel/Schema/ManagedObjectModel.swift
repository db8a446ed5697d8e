import Foundation

/// A compiled model: immutable, checked, numbered and hashed.
///
/// ```swift
/// let model = try ManagedObjectModel([
///     EntityDescription("Author", [
///         .attribute("name", .string, isOptional: false),
///         .toMany("books", "Book", inverse: "author", deleteRule: .cascade),
///     ]),
///     EntityDescription("Book", [
///         .attribute("title", .string),
///         .toOne("author", "Author", inverse: "books"),
///     ]),
/// ])
/// ```
public final class ManagedObjectModel: Sendable {
    /// As its author declared it, entities in the order of their numbers.
    public let description: ModelDescription
    let records: [EntityRecord]
    private let numbers: [String: EntityNumber]
    private let composites: [String: CompositeDescription]

    /// Compiles a description.
    ///
    /// - Parameter recordedHashes: hashes that Core Data's tools recorded for this version of the
    ///   model. Used for entities with derived attributes only, which no formula reproduces.
    /// - Throws: `.invalid`, with every problem found.
    public init(
        _ description: ModelDescription, recordedHashes: [String: VersionHash] = [:]
    ) throws(ModelError) {
        var compiler = ModelCompiler(description)
        records = try compiler.compile(recordedHashes: recordedHashes)
        var ordered = description
        ordered.entities = records.map(\.description)
        self.description = ordered
        numbers = Dictionary(
            records.map { ($0.description.name, $0.number) },
            uniquingKeysWith: { first, _ in first })
        composites = Dictionary(
            description.composites.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let problems = DerivationChecker(model: self).problems()
        guard problems.isEmpty else { throw .invalid(problems) }
    }

    private init() {
        description = ModelDescription()
        (records, numbers, composites) = ([], [:], [:])
    }

    /// A model without entities.
    package static let empty = ManagedObjectModel()

    /// Compiles entities that need no configuration or template.
    ///
    /// - Throws: `.invalid`, with every problem found.
    public convenience init(_ entities: [EntityDescription]) throws(ModelError) {
        try self.init(ModelDescription(entities))
    }

    /// All entities, by number.
    public var entities: [Entity] {
        records.map { Entity(model: self, number: $0.number) }
    }

    /// Returns the entity of that name. Returns `nil` if there is none. Case matters.
    public func entity(named name: String) -> Entity? {
        numbers[name].map { Entity(model: self, number: $0) }
    }

    /// Returns the entity with that number. Returns `nil` if there is none.
    public func entity(numbered number: EntityNumber) -> Entity? {
        records.indices.contains(Int(number.rawValue) - 1)
            ? Entity(model: self, number: number) : nil
    }

    /// Returns the composite of that name. Returns `nil` if there is none.
    public func composite(named name: String) -> CompositeDescription? {
        composites[name]
    }

    /// The named configurations, sorted.
    public var configurations: [String] { description.configurations.keys.sorted() }

    /// Returns the entities of a configuration, in the order of their numbers. `nil` means the default
    /// configuration, which has all entities.
    ///
    /// - Throws: `.unknownConfiguration`.
    public func entities(forConfiguration name: String?) throws(ModelError) -> [Entity] {
        guard let name else { return entities }
        guard let members = description.configurations[name] else {
            throw .unknownConfiguration(name, known: configurations)
        }
        let wanted = Set(members)
        return entities.filter { wanted.contains($0.name) }
    }

    /// The hash of each entity by name, abstract ones too: what a store's metadata records.
    public var entityVersionHashes: [String: VersionHash] {
        Dictionary(
            records.map { ($0.description.name, $0.versionHash) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Base 64 of the SHA-512 over names and hashes (`NSStoreModelVersionHashesDigest`).
    public var versionHashesDigest: String {
        let bytes = recordsByName.flatMap {
            Array($0.description.name.utf8) + $0.versionHash.bytes
        }
        return Data(SHA2.sha512(bytes)).base64EncodedString()
    }

    /// Base 64 of the SHA-256 over hashes (`NSStoreModelVersionChecksumKey`).
    public var versionChecksum: String {
        Data(SHA2.sha256(recordsByName.flatMap(\.versionHash.bytes))).base64EncodedString()
    }

    private var recordsByName: [EntityRecord] {
        records.sorted {
            $0.description.name.utf8.lexicographicallyPrecedes($1.description.name.utf8)
        }
    }
}
