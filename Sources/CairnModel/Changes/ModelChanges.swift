/// All differences between two versions of a model.
///
/// This type only describes the changes. `InferenceVerdict` says whether they can be migrated. An entity
/// or property of one version corresponds to one of the other if the names are equal, or if a renaming
/// identifier says so.
///
/// There are no changes between two models exactly if their descriptions are equal, ignoring the order of
/// constraints, compound indexes and members of configurations.
public struct ModelChanges: Sendable, Hashable {
    /// The entities that were added, removed or changed, sorted by the UTF-8 bytes of ``EntityChange/name``.
    package var entities: [EntityChange] = []
    /// The composites that were added, removed or changed, sorted by name.
    package var composites: [CompositeChange] = []
    /// The configurations that were added, removed or changed, sorted by name. The members are sorted, and
    /// renamed members of the old model are listed with their new names.
    package var configurations: [NamedChange<[String]>] = []
    /// The fetch requests that were added, removed or changed, sorted by name.
    package var fetchRequestTemplates: [NamedChange<FetchRequestTemplate>] = []
    /// The version identifiers that only the new model has, sorted.
    package var addedVersionIdentifiers: [String] = []
    /// The version identifiers that only the old model has, sorted.
    package var removedVersionIdentifiers: [String] = []
    /// Old names that several new entities or properties claim to continue.
    package var contestedNames: [ContestedName] = []
    /// Entities and properties that continue another one by their renaming identifiers, although the version
    /// hashes of both models are equal: their names are exchanged. Stores of the old model open with the
    /// new one, and the values stay under their old names. Empty if a migration is required.
    package var unnoticedRenames: [InferenceFinding] = []
    /// Whether the version hash of an entity differs, so that a store of the old model must be migrated
    /// before it can be used with the new one. For entities whose recorded hash is not exact
    /// (``Entity/isVersionHashExact``), hashes computed by the formula are compared.
    package var requiresMigration = false

    /// Compares two versions of a model.
    ///
    /// Takes time proportional to the number of properties. A property that several entities inherit counts
    /// once for each of them.
    public init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
        self = ModelComparison(from: old, to: new).changes()
    }

    init() {}

    /// Whether the models are the same.
    package var isEmpty: Bool {
        entities.isEmpty && composites.isEmpty && configurations.isEmpty
            && fetchRequestTemplates.isEmpty && addedVersionIdentifiers.isEmpty
            && removedVersionIdentifiers.isEmpty
    }
}
