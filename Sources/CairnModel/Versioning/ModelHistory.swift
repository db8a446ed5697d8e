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
    package struct Mapping: Sendable, Hashable {
        /// The name of the mapping model, for messages.
        package var name: String
        /// The version hash of each source entity by name. A version of the model with these hashes is a
        /// source of the mapping model.
        package var sourceHashes: [String: VersionHash]
        /// The version hash of each destination entity by name, as for ``sourceHashes``.
        package var destinationHashes: [String: VersionHash]

        /// Creates a mapping model from recorded hashes. The rules of the mapping are not included.
        package init(
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
    package var mappings: [Mapping]
    /// Whether it is certain that ``versions`` are in the order in which they were made. The default is
    /// `true`. If `false`, a migration does not pass through a version that would remove values which a direct
    /// migration keeps, because that version may be an older one.
    package var isOrderCertain = true

    /// Creates a history. By default, it is empty.
    ///
    /// The versions must be sorted from the oldest to the newest, because migrations pass through the
    /// versions between two others in this order.
    public init(versions: [Version] = []) {
        self.init(versions: versions, mappings: [])
    }

    /// Creates a history whose migrations follow these mapping models.
    package init(versions: [Version], mappings: [Mapping]) {
        self.versions = versions
        self.mappings = mappings
    }

    /// Returns the version with which a store that recorded these hashes was written, or `nil` if no version
    /// matches.
    ///
    /// Prefers a version with exactly these hashes to one with different hashes for entities with derived
    /// attributes. Among those, prefers a version with exactly the recorded entities to one with more. If
    /// several versions are left, returns the newest, so that a migration does not undo what the versions
    /// between them have removed and added again.
    package func version(recordedAs hashes: [String: VersionHash]) -> Version? {
        let fitting = versions.filter { $0.model.declares(hashes) }
        let equal = fitting.filter { $0.model.repeats(hashes) }
        let closest = equal.isEmpty ? fitting : equal
        return closest.last { $0.model.entities.count == hashes.count } ?? closest.last
    }

    /// Returns the index of the version that is the model itself, has the same description, or has the same
    /// hashes. Returns `nil` if there is no such version, and the newest if there are several.
    func index(of model: ManagedObjectModel) -> Int? {
        if let index = versions.firstIndex(where: { $0.model === model })
            ?? versions.lastIndex(where: { $0.model.description == model.description })
        {
            return index
        }
        let hashes = model.entityVersionHashes
        let candidates = versions.indices.filter {
            versions[$0].model.entities.count == hashes.count
        }
        return candidates.last { versions[$0].model.repeats(hashes) }
            ?? candidates.last { versions[$0].model.declares(hashes) }
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
