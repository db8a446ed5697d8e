/// The versions of a model that a program contains, and the mapping models between them.
public struct ModelHistory: Sendable {
    /// One version of the model.
    public struct Version: Sendable {
        /// The name of the version, for messages.
        public var name: String
        /// The model of this version.
        public var model: ManagedObjectModel

        /// Creates a version. The name is used only in messages.
        public init(name: String, model: ManagedObjectModel) {
            self.name = name
            self.model = model
        }
    }

    /// A mapping model, which describes how to migrate one version to another.
    public struct Mapping: Sendable, Hashable {
        /// The name of the mapping model, for messages.
        public var name: String
        /// The version hash of each source entity by name. A version of the model with these hashes is a
        /// source of the mapping model.
        public var sourceHashes: [String: VersionHash]
        /// The version hash of each destination entity by name, as for ``sourceHashes``.
        public var destinationHashes: [String: VersionHash]

        /// Creates a mapping model from recorded hashes. The rules of the mapping are not included.
        public init(
            name: String, sourceHashes: [String: VersionHash],
            destinationHashes: [String: VersionHash]
        ) {
            self.name = name
            self.sourceHashes = sourceHashes
            self.destinationHashes = destinationHashes
        }
    }

    /// The versions, from the oldest to the newest.
    public var versions: [Version]
    /// The mapping models, in any order.
    public var mappings: [Mapping]

    /// Creates a history. By default, it is empty.
    ///
    /// The versions must be sorted from the oldest to the newest, because migrations pass through the
    /// versions between two others in this order.
    public init(versions: [Version] = [], mappings: [Mapping] = []) {
        self.versions = versions
        self.mappings = mappings
    }

    /// Returns the version with which a store that recorded these hashes was written, or `nil` if no version
    /// matches.
    ///
    /// Prefers a version with exactly these hashes to one with different hashes for entities with derived
    /// attributes. Among those, prefers a version with exactly the recorded entities to one with more.
    public func version(recordedAs hashes: [String: VersionHash]) -> Version? {
        let fitting = versions.filter { $0.model.declares(hashes) }
        let equal = fitting.filter { $0.model.repeats(hashes) }
        let closest = equal.isEmpty ? fitting : equal
        return closest.first { $0.model.entities.count == hashes.count } ?? closest.first
    }

    /// Returns the index of the version that is the model itself or has the same hashes, or `nil` if there is
    /// no such version.
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
    /// Returns whether the model contains all of these entities with exactly these hashes.
    fileprivate func repeats(_ hashes: [String: VersionHash]) -> Bool {
        hashes.allSatisfy { entity(named: $0.key)?.versionHash == $0.value }
    }

    /// Returns whether the model contains all of these entities with the same hashes.
    ///
    /// For an entity with a derived attribute, the hash is ignored, because Core Data's tools compute a
    /// different hash each time they build the model.
    func declares(_ hashes: [String: VersionHash]) -> Bool {
        hashes.allSatisfy { name, hash in
            guard let entity = entity(named: name) else { return false }
            return entity.versionHash == hash || entity.hasDerivedAttribute
        }
    }
}
