import CairnModel

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
    /// `NSPersistenceFrameworkVersion`. `nil` if the format records none.
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
