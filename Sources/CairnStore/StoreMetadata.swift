import CairnModel
import Foundation

/// What a store says of itself without its rows being read.
public struct StoreMetadata: Sendable, Hashable {
    /// Upper-case UUID, given when the store was created; object URIs begin with it.
    public var identifier: String
    /// The engine that the store was written by.
    public var type: StoreType
    /// Hash of each entity of the model that the store was written with, abstract ones too.
    public var entityVersionHashes: [String: VersionHash]
    /// The author's names for the version of the model that the store was written with. In the
    /// order in which the store has them; no check relies on them.
    public var modelVersionIdentifiers: [String]
    /// `NSPersistenceFrameworkVersion`; nil where the format records none.
    public var frameworkVersion: Int?
    /// Everything else the store records, the application's own values among it.
    public var values: [String: MetadataValue]

    /// What an engine fills in when it reads or creates a store. Without identifiers, framework
    /// version and values unless they are given.
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

/// A value that metadata and options can hold: what a property list can.
public enum MetadataValue: Sendable, Hashable, Codable {
    case string(String)
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case date(Date)
    case data(Data)
    case array([MetadataValue])
    case dictionary([String: MetadataValue])
}

extension MetadataValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral
{
    /// `"text"` is a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// `1` is an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// `true` is a boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// `1.5` is a real number.
    public init(floatLiteral value: Double) { self = .real(value) }
}

/// The name of a setting given when a store is opened; each engine documents its own.
public struct StoreOption: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The option's name as users write it; case matters.
    public let rawValue: String

    /// Takes any text: whether an engine knows the option shows when it opens a store.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// `"name"` is the option of that name.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name itself.
    public var description: String { rawValue }

    /// How many seconds a save waits for others to leave the store before `.busy`; a number.
    public static let timeout: StoreOption = "timeout"
}

/// Settings given when a store is opened. An engine refuses an option it does not know.
public typealias StoreOptions = [StoreOption: MetadataValue]
