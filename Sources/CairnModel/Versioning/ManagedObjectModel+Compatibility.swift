extension ManagedObjectModel {
    /// Returns how a configuration's entities differ from those whose hashes a store recorded, by
    /// entity name. The result is empty if the store can be opened with the model.
    ///
    /// An entity that only one of the two has is a difference, whichever has it. An entity with a
    /// derived attribute, of its own or inherited, differs only if it is absent, because Core Data's
    /// tools give it another hash each time they build the model.
    ///
    /// - Parameter configuration: the name of the configuration. `nil` means the default one, which has
    ///   all entities.
    /// - Throws: `.unknownConfiguration`.
    public func differences(
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

    /// Returns whether a store with these recorded hashes can be opened with a configuration of
    /// the model without migration. ``differences(from:configuration:)`` says why not.
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
    /// Whether it has or inherits a derived attribute.
    public var hasDerivedAttribute: Bool { attributes.contains(where: \.isDerived) }
}

extension ManagedObjectModel {
    /// Returns one model with the entities, configurations and fetch requests of all.
    ///
    /// An entity that several have counts once if they declare it alike. Configurations of one
    /// name are joined; of fetch requests of one name the first counts.
    ///
    /// - Throws: `.mergeConflict` if two models declare an entity or a composite of the same name
    ///   differently; `.invalid` if the merged model contradicts itself.
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
            // Recorded hashes of derived-attribute entities, which no formula gives again.
            for entity in model.entities where entity.isVersionHashExact {
                hashes[entity.name] = hashes[entity.name] ?? entity.versionHash
            }
        }
        return try ManagedObjectModel(merged, recordedHashes: hashes)
    }

    /// Returns the model for a store among the versions of several models: the first that fits
    /// alone, or all merged of which every entity is in the store as it is in the model. Returns
    /// `nil` if the store cannot be opened with any.
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
