import CairnModel
import Foundation

/// What a store records about itself apart from its rows.
public struct StoreMetadata: Sendable, Hashable {
    /// The store's identifier, an upper-case UUID that is assigned when the store is created. The
    /// URIs of its objects begin with it.
    public var identifier: String
    /// The type of the engine that wrote the store.
    public var type: StoreType
    /// The version hash of each entity of the model that the store was written with, including
    /// abstract entities.
    public var entityVersionHashes: [String: VersionHash]
    /// The author's names for the version of the model that the store was written with, in the
    /// order in which the store lists them. No check relies on them.
    public var modelVersionIdentifiers: [String]
    /// The value of `NSPersistenceFrameworkVersion`, or `nil` if the format does not record it.
    public var frameworkVersion: Int?
    /// All other values that the store records, including those of the application.
    public var values: [String: MetadataValue]

    /// Creates metadata, as an engine does when it reads or creates a store.
    public init(
        identifier: String, type: StoreType, entityVersionHashes: [String: VersionHash],
        modelVersionIdentifiers: [String] = [], frameworkVersion: Int? = nil,
        values: [String: MetadataValue] = [:]
    ) {
        self.identifier = identifier
        self.type = type
        self.entityVersionHashes = entityVersionHashes
        self.modelVersionIdentifiers = modelVersionIdentifiers
        self.frameworkVersion = frameworkVersion
        self.values = values
    }
}

/// The name by which a user chooses an engine, such as `"SQLite"` or `"InMemory"`.
public struct StoreType: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The name, as it appears in a store's metadata. Names are case-sensitive.
    public let rawValue: String

    /// Creates a type from any text. Whether an engine has the name is checked when a store is
    /// opened.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a type from any text. Whether an engine has the name is checked when a store is
    /// opened.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Creates the type with the given name.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name.
    public var description: String { rawValue }
}

/// A value of a store's metadata or options. The cases are the types that a property list can
/// contain.
public enum MetadataValue: Sendable, Hashable, Codable {
    /// Text, which may be empty.
    case string(String)
    /// A signed integer of 64 bits.
    case integer(Int64)
    /// A floating-point number of 64 bits.
    case real(Double)
    /// A Boolean, which is not equal to the integer 0 or 1.
    case boolean(Bool)
    /// A point in time.
    case date(Date)
    /// Bytes of any length.
    case data(Data)
    /// An array of values, whose kinds may differ.
    case array([MetadataValue])
    /// A dictionary of values, whose kinds may differ.
    case dictionary([String: MetadataValue])
}

extension MetadataValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral
{
    /// Creates a string value.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer value.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Creates a value that is a real number.
    public init(floatLiteral value: Double) { self = .real(value) }
}
