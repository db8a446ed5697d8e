/// The versions of a model that a program has, and the mapping models between them.
public struct ModelHistory: Sendable {
    /// One version of the model.
    public struct Version: Sendable {
        /// The name by which people know the version.
        public var name: String
        /// The version.
        public var model: ManagedObjectModel

        /// Names a version.
        public init(name: String, model: ManagedObjectModel) {
            self.name = name
            self.model = model
        }
    }

    /// A mapping model: how its author migrates one version to another.
    public struct Mapping: Sendable, Hashable {
        /// The name by which people know the mapping model.
        public var name: String
        /// The hashes of the entities that it maps from.
        public var sourceHashes: [String: VersionHash]
        /// The hashes of the entities that it maps to.
        public var destinationHashes: [String: VersionHash]

        /// Names a mapping model.
        public init(
            name: String, sourceHashes: [String: VersionHash],
            destinationHashes: [String: VersionHash]
        ) {
            self.name = name
            self.sourceHashes = sourceHashes
            self.destinationHashes = destinationHashes
        }
    }

    /// The versions, the earliest first.
    public var versions: [Version]
    /// The mapping models, in any order.
    public var mappings: [Mapping]

    /// Collects versions and mapping models.
    public init(versions: [Version] = [], mappings: [Mapping] = []) {
        self.versions = versions
        self.mappings = mappings
    }

    /// Returns the version with which a store that recorded these hashes was written. Returns `nil` if
    /// no version fits.
    ///
    /// A version with the very hashes comes before one that has other hashes for entities with derived
    /// attributes, and a version that has exactly the recorded entities before one that has more.
    public func version(recordedAs hashes: [String: VersionHash]) -> Version? {
        let fitting = versions.filter { $0.model.declares(hashes) }
        let equal = fitting.filter { $0.model.repeats(hashes) }
        let closest = equal.isEmpty ? fitting : equal
        return closest.first { $0.model.entities.count == hashes.count } ?? closest.first
    }

    /// Returns the index of the version that is a model, or that is equal to it in all hashes. Returns
    /// `nil` if no version is.
    func index(of model: ManagedObjectModel) -> Int? {
        if let index = versions.firstIndex(where: { $0.model === model }) { return index }
        let hashes = model.entityVersionHashes
        let candidates = versions.indices.filter {
            versions[$0].model.entities.count == hashes.count
        }
        return candidates.first { versions[$0].model.repeats(hashes) }
            ?? candidates.first { versions[$0].model.declares(hashes) }
    }
}

extension ManagedObjectModel {
    /// Whether the model has every entity of a list with the very same hash.
    fileprivate func repeats(_ hashes: [String: VersionHash]) -> Bool {
        hashes.allSatisfy { entity(named: $0.key)?.versionHash == $0.value }
    }

    /// Whether the model has every entity of a list with the same hash.
    ///
    /// An entity with a derived attribute has the same hash as any other that has its name, because
    /// Core Data's tools give it another hash each time they build the model.
    func declares(_ hashes: [String: VersionHash]) -> Bool {
        hashes.allSatisfy { name, hash in
            guard let entity = entity(named: name) else { return false }
            return entity.versionHash == hash || entity.hasDerivedAttribute
        }
    }
}
