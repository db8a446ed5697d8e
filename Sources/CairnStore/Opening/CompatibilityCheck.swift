import CairnModel

/// Whether a model can open a store, judged by the hashes that the store records.
///
/// The model must have every entity that the store records, and those of the request's configuration
/// must agree. The model may have more entities: the store has no objects of them, and no row has to
/// be migrated.
public struct CompatibilityCheck {
    private let request: OpenRequest
    private let stored: [String: VersionHash]
    private let cachedModel: () -> ModelDescription?

    /// - Parameters:
    ///   - stored: the hashes that the store records.
    ///   - cachedModel: the model inside the store; `nil` if there is none. Read only if a hash
    ///     differs, and then also to say what changed.
    public init(
        request: OpenRequest, stored: [String: VersionHash],
        cachedModel: @escaping @autoclosure () -> ModelDescription? = nil
    ) {
        self.request = request
        self.stored = stored
        self.cachedModel = cachedModel
    }

    /// Compares the hashes.
    ///
    /// - Throws: `.modelMismatch`, with every entity that differs and every one that only the store or
    ///   the configuration has, also if the store records no entity of the configuration;
    ///   `.unsupported` for an unknown configuration.
    public func run() throws(StoreError) {
        let configured = try Self.entities(of: request)
        let recorded = configured.filter { stored[$0.name] != nil }
        let suspects = recorded.filter { stored[$0.name] != $0.versionHash }
        let differing = suspects.isEmpty ? [] : withoutExcused(suspects)
        let unknown = stored.filter { request.model.entity(named: $0.key) == nil }
        let holdsSome = configured.isEmpty || !recorded.isEmpty
        guard differing.isEmpty, unknown.isEmpty, holdsSome else {
            // An entity that was renamed is one that only the store has, and one that it does not.
            let added = configured.filter { stored[$0.name] == nil }
            throw .modelMismatch(
                request.location,
                differences: explained(
                    Self.differences(differing + added, unknown, stored: stored)))
        }
    }

    /// Says in words what changed, if the store contains its model.
    private func explained(_ differences: [ModelDifference]) -> [ModelDifference] {
        guard let inside = cachedModel().flatMap({ try? ManagedObjectModel($0) }) else {
            return differences
        }
        return ModelDifference.explaining(differences, from: inside, to: request.model)
    }

    private static func differences(
        _ entities: [Entity], _ unknown: [String: VersionHash], stored: [String: VersionHash]
    ) -> [ModelDifference] {
        let known = entities.map {
            ModelDifference(entity: $0.name, stored: stored[$0.name], model: $0.versionHash)
        }
        let others = unknown.map { ModelDifference(entity: $0.key, stored: $0.value, model: nil) }
        return (known + others).sorted {
            $0.entity.utf8.lexicographicallyPrecedes($1.entity.utf8)
        }
    }

    /// Returns the entities of the request's configuration.
    ///
    /// - Throws: `.unsupported` for a configuration that the model does not have.
    package static func entities(of request: OpenRequest) throws(StoreError) -> [Entity] {
        do throws(ModelError) {
            return try request.model.entities(forConfiguration: request.configuration)
        } catch {
            throw .unsupported(
                request.location, feature: "a configuration that the model does not have",
                advice: "\(error)")
        }
    }

    /// Removes the entities that the model inside the store declares alike, by our own hash of both
    /// models.
    ///
    /// Core Data's recorded hash says less than that: for a derived attribute it changes with each
    /// build of the model, and for composites its formula is not known.
    private func withoutExcused(_ suspects: [Entity]) -> [Entity] {
        let inside = cachedModel().flatMap { try? ManagedObjectModel($0) }
        guard let inside, let plain = try? ManagedObjectModel(request.model.description) else {
            return suspects.filter { !$0.hasDerivedAttribute }
        }
        return suspects.filter { entity in
            guard let hash = inside.entity(named: entity.name)?.versionHash else { return true }
            return hash != plain.entity(named: entity.name)?.versionHash
        }
    }
}

extension StoreMetadata {
    /// Whether the store has recorded every entity of a request's configuration.
    ///
    /// - Throws: `.unsupported` for a configuration that the model does not have.
    package func hasAllEntities(of request: OpenRequest) throws(StoreError) -> Bool {
        try CompatibilityCheck.entities(of: request).allSatisfy {
            entityVersionHashes[$0.name] != nil
        }
    }

    /// Records the entities of a request's configuration that the store has not recorded yet, for an
    /// engine that writes its file with the request's model.
    ///
    /// - Throws: `.unsupported` for a configuration that the model does not have.
    public mutating func addEntities(of request: OpenRequest) throws(StoreError) {
        let added = try CompatibilityCheck.entities(of: request).filter {
            entityVersionHashes[$0.name] == nil
        }
        guard !added.isEmpty, !entityVersionHashes.isEmpty else { return }
        for entity in added { entityVersionHashes[entity.name] = entity.versionHash }
        modelVersionIdentifiers = request.model.description.versionIdentifiers.sorted()
    }
}
