/// A model as its author declares it; ``ManagedObjectModel`` is what it compiles to.
public struct ModelDescription: Sendable, Hashable {
    public var entities: [EntityDescription]
    public var composites: [CompositeDescription] = []
    /// Names of the entities in each named configuration. The default one holds all.
    public var configurations: [String: [String]] = [:]
    public var fetchRequestTemplates: [String: FetchRequestTemplate] = [:]
    /// Texts by which the author tells versions apart; they do not enter the hashes.
    public var versionIdentifiers: Set<String> = []

    public init(_ entities: [EntityDescription] = []) {
        self.entities = entities
    }
}
