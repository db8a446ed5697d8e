import CairnModel

/// Whether a model can open a store, judged by the hashes that the store records.
package struct CompatibilityCheck {
    private let request: OpenRequest
    private let stored: [String: VersionHash]
    private let cachedModel: () -> ModelDescription?
    private let allowsPartialStore: Bool

    /// - Parameters:
    ///   - stored: the hashes that the store records.
    ///   - cachedModel: the model inside the store; `nil` if there is none. Read only if a hash
    ///     differs.
    ///   - allowsPartialStore: whether a store of one configuration may be opened with the whole
    ///     model that is inside it. Its other entities then have no objects.
    package init(
        request: OpenRequest, stored: [String: VersionHash], allowsPartialStore: Bool = false,
        cachedModel: @escaping @autoclosure () -> ModelDescription?
    ) {
        self.request = request
        self.stored = stored
        self.allowsPartialStore = allowsPartialStore && request.configuration == nil
        self.cachedModel = cachedModel
    }

    /// - Throws: `.modelMismatch`, with every entity that differs; `.unsupported` for an unknown
    ///   configuration.
    package func run() throws(StoreError) {
        let suspects = try Self.entities(of: request).filter { stored[$0.name] != $0.versionHash }
        let differing = suspects.isEmpty ? [] : withoutExcused(suspects)
        let differences = differing.map {
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

    /// Removes the entities that the model inside the store declares alike, by our own hash of both
    /// models.
    ///
    /// Core Data's recorded hash says less than that: for a derived attribute it changes with each
    /// build of the model, and for composites its formula is not known.
    private func withoutExcused(_ suspects: [Entity]) -> [Entity] {
        let inside = cachedModel().flatMap { try? ManagedObjectModel($0) }
        guard let inside, let plain = try? ManagedObjectModel(request.model.description) else {
            return suspects.filter { stored[$0.name] == nil || !$0.hasDerivedAttribute }
        }
        return suspects.filter { entity in
            guard stored[entity.name] != nil || allowsPartialStore,
                let hash = inside.entity(named: entity.name)?.versionHash
            else { return true }
            return hash != plain.entity(named: entity.name)?.versionHash
        }
    }
}
