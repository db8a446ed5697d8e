import CairnModel

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
