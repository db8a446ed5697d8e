import CairnModel

/// Checks whether a model can open a store, by comparing version hashes with those that the store
/// records.
///
/// The model must have every entity that the store records, except those outside the configuration
/// that the store was written with, and the hashes of the entities in the request's configuration
/// must be equal. The model may have more entities than the store records.
/// The store then has no objects of these entities, so no row has to be migrated.
public struct CompatibilityCheck {
    private let request: OpenRequest
    private let stored: [String: VersionHash]
    private let cachedModel: () -> ModelDescription?

    /// - Parameters:
    ///   - request: the request to open the store, with the model and the configuration.
    ///   - stored: the hashes that the store records.
    ///   - cachedModel: the model inside the store, or `nil` if the store contains no model. It is
    ///     read only if a hash differs. The check then also uses it to say what changed.
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
    /// - Throws: `.modelMismatch` with every entity that differs and every entity that only the
    ///   store or only the configuration has. This error is also thrown if the store records no
    ///   entity of the configuration. `.unsupported` if the model does not have the configuration.
    public func run() throws(StoreError) {
        let configured = try Self.entities(of: request)
        let recorded = configured.filter { stored[$0.name] != nil }
        let differing = changed(among: configured)
        let unknown = withoutOtherConfigurations(
            stored.filter { request.model.entity(named: $0.key) == nil })
        let holdsSome = configured.isEmpty || !recorded.isEmpty
        guard differing.isEmpty, unknown.isEmpty, holdsSome else {
            // A renamed entity appears twice: only the store has the old name, and only the model
            // the new one.
            let added = configured.filter { stored[$0.name] == nil }
            throw .modelMismatch(
                request.location,
                differences: explained(
                    Self.differences(differing + added, unknown, stored: stored)))
        }
    }

    /// Compares the hashes of entities of which the store has objects, also of those outside the configuration.
    /// An engine that writes its file with the request's model calls this, because it would record the
    /// new hashes although the objects were not migrated.
    ///
    /// - Throws: `.modelMismatch` with every entity that differs.
    package func requireUnchanged(_ entities: [Entity]) throws(StoreError) {
        let differing = changed(among: entities)
        guard !differing.isEmpty else { return }
        throw .modelMismatch(
            request.location,
            differences: explained(Self.differences(differing, [:], stored: stored)))
    }

    /// Returns the recorded entities whose hash differs.
    private func changed(among entities: [Entity]) -> [Entity] {
        let suspects = entities.filter { entity in
            stored[entity.name].map { $0 != entity.versionHash } ?? false
        }
        return suspects.isEmpty ? [] : withoutExcused(suspects)
    }

    /// Adds what changed in words if the store contains its model.
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
    /// - Throws: `.unsupported` if the model does not have the configuration.
    package static func entities(of request: OpenRequest) throws(StoreError) -> [Entity] {
        do {
            return try request.model.entities(forConfiguration: request.configuration)
        } catch {
            throw .unsupported(
                request.location, feature: "a configuration that the model does not have",
                advice: "\(error)")
        }
    }

    /// Removes the entities that the request's configuration did not have, according to the model
    /// inside the store. The store has no objects of them. An entity that this model does not have
    /// either was removed before the store was last written.
    private func withoutOtherConfigurations(
        _ unknown: [String: VersionHash]
    ) -> [String: VersionHash] {
        guard !unknown.isEmpty, let configuration = request.configuration,
            let inside = cachedModel().flatMap({ try? ManagedObjectModel($0) }),
            let held = try? inside.entities(forConfiguration: configuration)
        else { return unknown }
        let roots = Set(held.map(\.rootEntity))
        return unknown.filter { name, _ in
            inside.entity(named: name).map { roots.contains($0.rootEntity) } ?? false
        }
    }

    /// Removes the entities that have the same hash in the model inside the store as in the
    /// request's model. Both hashes are computed by Cairn.
    ///
    /// The hashes that Core Data records are less reliable: for a derived attribute the hash
    /// changes with each build of the model, and the formula for composite attributes is not known.
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
    /// Returns whether the store has recorded every entity of the request's configuration.
    ///
    /// - Throws: `.unsupported` if the model does not have the configuration.
    package func hasAllEntities(of request: OpenRequest) throws(StoreError) -> Bool {
        try CompatibilityCheck.entities(of: request).allSatisfy {
            entityVersionHashes[$0.name] != nil
        }
    }

    /// Records the entities of the request's configuration that the store has not recorded yet, and
    /// the current hashes of other configurations' entities, without those that the model lacks.
    /// Call this from an engine that writes its file with the request's model.
    ///
    /// - Throws: `.unsupported` if the model does not have the configuration.
    package mutating func addEntities(of request: OpenRequest) throws(StoreError) {
        let configured = Set(try CompatibilityCheck.entities(of: request).map(\.name))
        guard !entityVersionHashes.isEmpty else { return }
        var hashes: [String: VersionHash] = [:]
        for entity in request.model.entities {
            let recorded = entityVersionHashes[entity.name]
            if configured.contains(entity.name) {
                hashes[entity.name] = recorded ?? entity.versionHash
            } else if recorded != nil {
                hashes[entity.name] = entity.versionHash
            }
        }
        guard hashes != entityVersionHashes else { return }
        entityVersionHashes = hashes
        modelVersionIdentifiers = request.model.description.versionIdentifiers.sorted()
    }
}
