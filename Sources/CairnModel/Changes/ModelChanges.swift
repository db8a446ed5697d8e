/// Everything that differs between two versions of a model.
///
/// A value that says what changed and passes no judgement: ``InferenceVerdict`` says what a
/// migration can make of it. Entities and properties are the same if their names are equal, or if a
/// renaming identifier says so.
///
/// Two models have no changes between them exactly if their descriptions are equal, apart from the
/// order in which constraints, compound indexes and members of configurations are listed.
public struct ModelChanges: Sendable, Hashable {
    /// The entities that were added, removed or changed, by ``EntityChange/name`` in code units.
    public var entities: [EntityChange] = []
    /// The composites that were added, removed or changed, by name.
    public var composites: [CompositeChange] = []
    /// The configurations that were added, removed or changed, by name. Members are sorted; those of
    /// the old model that were renamed have their new names.
    public var configurations: [NamedChange<[String]>] = []
    /// The fetch requests that were added, removed or changed, by name.
    public var fetchRequestTemplates: [NamedChange<FetchRequestTemplate>] = []
    /// Version identifiers that only the new model has, sorted.
    public var addedVersionIdentifiers: [String] = []
    /// Version identifiers that only the old model has, sorted.
    public var removedVersionIdentifiers: [String] = []
    /// Old names that several new entities or properties claim.
    public var contestedNames: [ContestedName] = []
    /// Whether the version hash of an entity differs, so that a store of the old model can be used
    /// with the new one only after a migration. Entities whose hash is not exact
    /// (``Entity/isVersionHashExact``) are compared by the formula.
    public var requiresMigration = false

    /// Compares two versions of a model.
    ///
    /// The time is proportional to the number of properties. A property that several entities inherit
    /// counts once for each of them.
    public init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
        self = ModelComparison(from: old, to: new).changes()
    }

    init() {}

    /// Whether nothing differs.
    public var isEmpty: Bool {
        entities.isEmpty && composites.isEmpty && configurations.isEmpty
            && fetchRequestTemplates.isEmpty && addedVersionIdentifiers.isEmpty
            && removedVersionIdentifiers.isEmpty
    }
}
