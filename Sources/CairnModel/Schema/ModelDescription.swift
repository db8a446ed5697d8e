/// A model as its author declares it; ``ManagedObjectModel`` is what it compiles to.
public struct ModelDescription: Sendable, Hashable {
    /// In any order; compiling numbers them by name.
    public var entities: [EntityDescription]
    /// The types of composite attributes, each with a name of its own.
    public var composites: [CompositeDescription] = []
    /// Names of the entities in each named configuration. The default one holds all.
    public var configurations: [String: [String]] = [:]
    /// Fetch requests by the name under which the model keeps them.
    public var fetchRequestTemplates: [String: FetchRequestTemplate] = [:]
    /// Texts by which the author tells versions apart; they do not enter the hashes.
    public var versionIdentifiers: Set<String> = []

    /// Describes a model of these entities and nothing else.
    public init(_ entities: [EntityDescription] = []) {
        self.entities = entities
    }
}
