import Foundation

/// A compiled model. It is immutable, valid, and has entity numbers and version hashes.
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
    /// The description from which the model was compiled, with the entities in the order of their numbers.
    public let description: ModelDescription
    let records: [EntityRecord]
    /// Whether an attribute is a reference. Fetches ask first, because most models have none.
    package let hasReferences: Bool
    private let numbers: [String: EntityNumber]
    private let composites: [String: CompositeDescription]

    /// Compiles a description.
    ///
    /// - Parameters:
    ///   - description: The entities, composites, configurations and fetch requests, in any order.
    ///   - recordedHashes: Hashes that Core Data's tools recorded for this version of the model. They are
    ///     used only for entities with derived attributes or composites, for which the formula is not
    ///     known.
    /// - Throws: `.invalid`, with all problems.
    public init(
        _ description: ModelDescription, recordedHashes: [String: VersionHash] = [:]
    ) throws(ModelError) {
        var compiler = ModelCompiler(description)
        records = try compiler.compile(recordedHashes: recordedHashes)
        hasReferences = description.entities.contains { entity in
            entity.properties.contains { property in
                if case .attribute(let attribute) = property {
                    attribute.referenceNames != nil
                } else {
                    false
                }
            }
        }
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
        hasReferences = false
        (records, numbers, composites) = ([], [:], [:])
    }

    /// A model without entities.
    package static let empty = ManagedObjectModel()

    /// Compiles entities into a model without configurations and templates.
    ///
    /// - Throws: `.invalid`, with all problems.
    public convenience init(_ entities: [EntityDescription]) throws(ModelError) {
        try self.init(ModelDescription(entities))
    }

    /// All entities, in the order of their numbers.
    public var entities: [Entity] {
        records.map { Entity(model: self, number: $0.number) }
    }

    /// Returns the entity with this name, which is case-sensitive, or `nil` if there is no such entity.
    public func entity(named name: String) -> Entity? {
        numbers[name].map { Entity(model: self, number: $0) }
    }

    /// Returns the entity with this number, or `nil` if there is no such entity.
    public func entity(numbered number: EntityNumber) -> Entity? {
        records.indices.contains(Int(number.rawValue) - 1)
            ? Entity(model: self, number: number) : nil
    }

    /// Returns the composite with this name, or `nil` if there is no such composite.
    public func composite(named name: String) -> CompositeDescription? {
        composites[name]
    }

    /// The names of the configurations, sorted. The default configuration is not included.
    public var configurations: [String] { description.configurations.keys.sorted() }

    /// Returns the entities of a configuration, in the order of their numbers. `nil` means the default
    /// configuration, which contains all entities.
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

    /// The version hash of each entity by name, including abstract entities. The metadata of a store records
    /// these hashes.
    public var entityVersionHashes: [String: VersionHash] {
        Dictionary(
            records.map { ($0.description.name, $0.versionHash) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The SHA-512 of all names and hashes in Base64 (`NSStoreModelVersionHashesDigest`).
    package var versionHashesDigest: String {
        let bytes = recordsByName.flatMap {
            Array($0.description.name.utf8) + $0.versionHash.bytes
        }
        return Data(SHA2.sha512(bytes)).base64EncodedString()
    }

    /// The SHA-256 of all hashes in Base64 (`NSStoreModelVersionChecksumKey`).
    public var versionChecksum: String {
        Data(SHA2.sha256(recordsByName.flatMap(\.versionHash.bytes))).base64EncodedString()
    }

    private var recordsByName: [EntityRecord] {
        records.sorted {
            $0.description.name.utf8.lexicographicallyPrecedes($1.description.name.utf8)
        }
    }
}
