extension ManagedObjectModel {
    /// Returns the differences between the entities of a configuration and the hashes that a store recorded,
    /// sorted by entity name. Empty if the store can be opened with the model.
    ///
    /// An entity that only the model or only the store contains is a difference. An entity with a derived
    /// attribute, which may be inherited, only needs to exist on both sides. Its hashes are not compared,
    /// because Core Data's tools compute a different hash each time they build the model.
    ///
    /// - Parameters:
    ///   - recorded: The version hash of each entity by name, as in the metadata of the store.
    ///   - configuration: The name of the configuration. If `nil`, the default configuration, which contains
    ///     all entities.
    /// - Throws: `.unknownConfiguration`.
    package func differences(
        from recorded: [String: VersionHash], configuration: String? = nil
    ) throws(ModelError) -> [ModelDifference] {
        var differences: [ModelDifference] = []
        var unmatched = recorded
        for entity in try entities(forConfiguration: configuration) {
            let stored = unmatched.removeValue(forKey: entity.name)
            let isSame = stored == entity.versionHash || stored != nil && entity.hasDerivedAttribute
            if !isSame {
                differences.append(
                    ModelDifference(
                        entity: entity.name, stored: stored, model: entity.versionHash))
            }
        }
        for (name, stored) in unmatched {
            differences.append(ModelDifference(entity: name, stored: stored, model: nil))
        }
        return differences.sorted { $0.entity.utf8.lexicographicallyPrecedes($1.entity.utf8) }
    }

    /// Returns whether a store with these recorded hashes can be opened with a configuration of the model
    /// without migration. `differences(from:configuration:)` returns the reasons why it cannot.
    ///
    /// - Throws: `.unknownConfiguration`.
    public func isConfiguration(
        _ configuration: String?, compatibleWith recorded: [String: VersionHash]
    ) throws(ModelError) -> Bool {
        try differences(from: recorded, configuration: configuration).isEmpty
    }

    /// Whether a store with these recorded hashes can be opened with the whole model.
    fileprivate func isCompatible(with recorded: [String: VersionHash]) -> Bool {
        (try? isConfiguration(nil, compatibleWith: recorded)) ?? false
    }
}

extension Entity {
    /// Whether the entity has a derived attribute, which may be inherited.
    package var hasDerivedAttribute: Bool { attributes.contains(where: \.isDerived) }
}

extension ManagedObjectModel {
    /// Returns a model with the entities, configurations and fetch requests of all models.
    ///
    /// Entities with the same name must have the same description and are added once. Configurations with
    /// the same name are merged. If fetch requests have the same name, the first one is used.
    ///
    /// - Throws: `.mergeConflict` if two models declare an entity or a composite with the same name
    ///   differently, or `.invalid` if the merged model is not valid.
    public static func merging(
        _ models: [ManagedObjectModel]
    ) throws(ModelError) -> ManagedObjectModel {
        var merged = ModelDescription()
        var entities: [String: EntityDescription] = [:]
        var composites: [String: CompositeDescription] = [:]
        var hashes: [String: VersionHash] = [:]
        for model in models {
            for entity in model.description.entities {
                if let known = entities.updateValue(entity, forKey: entity.name) {
                    guard known == entity else { throw .mergeConflict(entity: entity.name) }
                } else {
                    merged.entities.append(entity)
                }
            }
            for composite in model.description.composites {
                if let known = composites.updateValue(composite, forKey: composite.name) {
                    guard known == composite else { throw .mergeConflict(entity: composite.name) }
                } else {
                    merged.composites.append(composite)
                }
            }
            merged.add(configurationsAndTemplatesOf: model.description)
            // Pass on hashes that were recorded for entities with derived attributes, because they cannot be
            // computed.
            for entity in model.entities where entity.isVersionHashExact {
                hashes[entity.name] = hashes[entity.name] ?? entity.versionHash
            }
        }
        return try ManagedObjectModel(merged, recordedHashes: hashes)
    }

    /// Returns the model for a store from the versions of several models.
    ///
    /// This is the first model with which the store can be opened. Otherwise, it is the result of merging all
    /// models whose entities are all in the store in the same version. Returns `nil` if the store cannot be
    /// opened with either.
    public static func merging(
        _ models: [ManagedObjectModel], forStoreMetadata recorded: [String: VersionHash]
    ) -> ManagedObjectModel? {
        if let model = models.first(where: { $0.isCompatible(with: recorded) }) { return model }
        let parts = models.filter { model in
            let part = recorded.filter { model.entity(named: $0.key) != nil }
            return model.isCompatible(with: part)
        }
        guard !parts.isEmpty, let merged = try? merging(parts), merged.isCompatible(with: recorded)
        else {
            return nil
        }
        return merged
    }
}

extension ModelDescription {
    fileprivate mutating func add(configurationsAndTemplatesOf other: ModelDescription) {
        for (name, members) in other.configurations {
            let known = configurations[name] ?? []
            configurations[name] = known + members.filter { !known.contains($0) }
        }
        fetchRequestTemplates.merge(other.fetchRequestTemplates) { first, _ in first }
        versionIdentifiers.formUnion(other.versionIdentifiers)
    }
}
