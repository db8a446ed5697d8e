/// The description of a model. Compiling it creates a ``ManagedObjectModel``.
public struct ModelDescription: Sendable, Hashable {
    /// The entities in any order. Compiling the model sorts and numbers them.
    public var entities: [EntityDescription]
    /// The types of composite attributes. Their names are unique.
    public var composites: [CompositeDescription] = []
    /// The names of the entities in each named configuration. The default configuration contains all entities
    /// and is not listed.
    public var configurations: [String: [String]] = [:]
    /// The fetch request templates by name. Names are case-sensitive.
    public var fetchRequestTemplates: [String: FetchRequestTemplate] = [:]
    /// Text that the author uses to distinguish versions. It is not part of the version hashes.
    public var versionIdentifiers: Set<String> = []

    /// Creates a description of a model that contains only these entities.
    public init(_ entities: [EntityDescription] = []) {
        self.entities = entities
    }
}
