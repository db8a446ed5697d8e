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

        /// The rules of the mapping model.
        package var model: MappingModel

        /// Creates a mapping model with the hashes of the versions for which it was made.
        package init(
            name: String, sourceHashes: [String: VersionHash],
            destinationHashes: [String: VersionHash], model: MappingModel
        ) {
            self.name = name
            self.sourceHashes = sourceHashes
            self.destinationHashes = destinationHashes
            self.model = model
        }
    }

    /// A policy of the program for mapping models.
    package struct Policy: Sendable {
        /// The name under which it was registered, such as `Shop.PricePolicy`.
        package var name: String
        /// The class. Its type is known only to the module that has objects.
        package var body: any Sendable

        /// Creates a policy with a name.
        package init(name: String, body: any Sendable) {
            self.name = name
            self.body = body
        }
    }

    /// Code of the program that runs in the step to a version.
    package struct Code: Sendable {
        /// The name, in the version before the step, of the entity for whose objects the code runs. `nil` if it
        /// runs once, before and after the step.
        package var entity: String?
        /// The version that the step begins with. `nil` means the version before ``destination``.
        package var source: ManagedObjectModel?
        /// The version that the step leads to.
        package var destination: ManagedObjectModel
        /// What to run. Its type is known only to the module that has objects.
        package var body: any Sendable

        /// Creates the code of a step, or of one entity in it.
        package init(
            entity: String? = nil, source: ManagedObjectModel? = nil,
            destination: ManagedObjectModel, body: any Sendable
        ) {
            self.entity = entity
            self.source = source
            self.destination = destination
            self.body = body
        }
    }

    /// The versions, from the oldest to the newest.
    public var versions: [Version]
    /// The mapping models, in any order.
    package var mappings: [Mapping]
    /// The mapping models that cannot be used, each with the reason.
    package var unusedMappings: [InferenceFinding] = []
    /// The policies of mapping models.
    package var policies: [Policy] = []
    /// The classes of new objects that policies create. The type is known only to the module that has objects.
    package var objectClasses: (any Sendable)?
    /// Code of the program that runs in steps between versions. The code of one step runs in this order.
    package var code: [Code] = []
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

    /// Adds a mapping model, with which stores of one version are migrated to another.
    ///
    /// A migration between the two versions, or through both of them, executes the mapping model instead of
    /// inferring a mapping.
    ///
    /// - Parameters:
    ///   - model: The rules. A migration is refused if they do not fit the two versions.
    ///   - name: The name of the mapping model, for messages.
    ///   - source: The version that the mapping model starts from.
    ///   - destination: The version that it leads to.
    public mutating func add(
        _ model: MappingModel, named name: String, from source: ManagedObjectModel,
        to destination: ManagedObjectModel
    ) {
        mappings.append(
            Mapping(
                name: name, sourceHashes: source.entityVersionHashes,
                destinationHashes: destination.entityVersionHashes, model: model))
    }

    /// Returns the policy for a name in a mapping model, or `nil` if the program has not registered it.
    ///
    /// The name may be that of a Swift class with its module, mangled or not, or that of an Objective-C class.
    /// A policy with exactly this name comes first, then one whose name differs only in the module.
    func policy(named name: String) -> Policy? {
        let plain = ClassName(name)
        return policies.last { $0.name == name }
            ?? policies.last { ClassName($0.name) == plain }
            ?? policies.last { ClassName($0.name).type == plain.type }
    }

    /// Returns the code that runs in the step to a version.
    func code(leadingTo version: ManagedObjectModel) -> [Code] {
        if code.isEmpty { return [] }
        let same = code.filter { $0.destination.isSame(as: version) }
        return same.isEmpty
            ? code.filter { $0.destination.entityVersionHashes == version.entityVersionHashes }
            : same
    }

    /// Returns the index of the version that is the model itself, has the same description, or has the same
    /// hashes. Returns `nil` if there is no such version, and the newest if there are several.
    package func index(of model: ManagedObjectModel) -> Int? {
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
    /// Whether both are the same version, and not only two versions with equal hashes.
    func isSame(as other: ManagedObjectModel) -> Bool {
        self === other || description == other.description
    }

    /// Returns whether the model contains all of these entities with exactly these hashes.
    fileprivate func repeats(_ hashes: [String: VersionHash]) -> Bool {
        hashes.allSatisfy { entity(named: $0.key)?.versionHash == $0.value }
    }

    /// Returns whether the model contains all of these entities with the same hashes.
    ///
    /// For an entity with a derived attribute, the hash is ignored, because Core Data's tools compute a
    /// different hash each time they build the model.
    package func declares(_ hashes: [String: VersionHash]) -> Bool {
        hashes.allSatisfy { name, hash in
            guard let entity = entity(named: name) else { return false }
            return entity.versionHash == hash || entity.hasDerivedAttribute
        }
    }
}

/// The name of a class in a file of Core Data, without mangling.
private struct ClassName: Equatable {
    /// The name without its module.
    let type: String
    let module: String?

    init(_ name: String) {
        let parts = Self.demangled(name) ?? name.split(separator: ".").map(String.init)
        type = parts.last ?? name
        module = parts.count > 1 ? parts[0] : nil
    }

    /// Returns the parts of a mangled name such as `_TtC4Shop11PricePolicy`: the module, and the types from
    /// the outermost to the innermost. Returns `nil` for a name that is not mangled. The mangled name of a private
    /// class also has a mark of its file, such as `P33_0123456789ABCDEF0123456789ABCDEF`, which is left out.
    private static func demangled(_ name: String) -> [String]? {
        guard name.hasPrefix("_TtC") else { return nil }
        var rest = name.dropFirst(3).drop { $0 == "C" || $0 == "V" || $0 == "O" }
        var parts: [String] = []
        while !rest.isEmpty {
            let isMark = rest.first == "P"
            if isMark { rest = rest.dropFirst() }
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard let count = Int(digits), count > 0, count <= rest.count else { return nil }
            if !isMark { parts.append(String(rest.prefix(count))) }
            rest = rest.dropFirst(count)
        }
        return parts.count > 1 ? parts : nil
    }
}
