import CairnModel

/// Whether a model can open a store, judged by the hashes that the store records.
package struct CompatibilityCheck {
    private let request: OpenRequest
    private let stored: [String: VersionHash]
    private let cachedModel: ModelDescription?

    /// - Parameters:
    ///   - stored: the hashes that the store records.
    ///   - cachedModel: the model that the store keeps; nil where it keeps none.
    package init(
        request: OpenRequest, stored: [String: VersionHash], cachedModel: ModelDescription?
    ) {
        self.request = request
        self.stored = stored
        self.cachedModel = cachedModel
    }

    /// - Throws: `.modelMismatch`, with every entity that differs; `.unsupported` for an unknown
    ///   configuration.
    package func run() throws(StoreError) {
        let differences = try Self.entities(of: request).filter { !matches($0) }.map {
            ModelDifference(entity: $0.name, stored: stored[$0.name], model: $0.versionHash)
        }
        let unknown = stored.filter { request.model.entity(named: $0.key) == nil }.map {
            ModelDifference(entity: $0.key, stored: $0.value, model: nil)
        }
        guard differences.isEmpty, unknown.isEmpty else {
            throw .modelMismatch(
                request.location,
                differences: (differences + unknown).sorted {
                    $0.entity.utf8.lexicographicallyPrecedes($1.entity.utf8)
                })
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

    private func matches(_ entity: Entity) -> Bool {
        guard let hash = stored[entity.name] else { return false }
        if hash == entity.versionHash { return true }
        // Core Data's hash of a derived attribute changes with each build of the model: everything
        // else is compared, by our own hash of both models.
        guard entity.attributes.contains(where: \.isDerived) else { return false }
        guard let cachedModel, let cached = try? ManagedObjectModel(cachedModel),
            let plain = try? ManagedObjectModel(request.model.description)
        else { return true }
        return cached.entity(named: entity.name)?.versionHash
            == plain.entity(named: entity.name)?.versionHash
    }
}
