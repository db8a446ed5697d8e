import CairnModel

/// Decodes the model at the root of an archive.
struct ModelDecoder {
    private let archive: KeyedArchive

    init(_ archive: KeyedArchive) {
        self.archive = archive
    }

    func decode() throws(ModelArchiveError) -> ModelDescription {
        guard let model = try archive.root().object else {
            throw .unexpectedRoot("the root of the archive is not an object")
        }
        guard model.isKind(of: "NSManagedObjectModel") else {
            throw .unexpectedRoot(
                "the archive contains \(model.className.withArticle), not a model")
        }
        var description = ModelDescription(try entities(of: model))
        description.composites = try CompositeDecoder.composites(
            of: model, usedBy: description.entities)
        for (name, members) in try model.entries("NSConfigurations") {
            description.configurations[name] = try entityNames(in: members)
        }
        for (name, request) in try model.entries("NSFetchRequestTemplates") {
            guard let request = request.object else { continue }
            description.fetchRequestTemplates[name] = try FetchRequestDecoder.template(
                request)
        }
        description.versionIdentifiers = Set(
            try model.elements("NSVersionIdentifiers").compactMap(\.string))
        return description.forReading()
    }

    private func entities(
        of model: ArchivedObject
    ) throws(ModelArchiveError) -> [EntityDescription] {
        guard let archived = try model.object("NSEntities") else {
            throw .wrongValue(
                object: "the model", key: "NSEntities", detail: "the model has no entities")
        }
        var entities: [EntityDescription] = []
        for (name, value) in try archived.entries() {
            guard let object = value.object, object.isKind(of: "NSEntityDescription") else {
                throw .wrongValue(
                    object: "the model", key: "NSEntities", detail: "“\(name)” is not an entity")
            }
            entities.append(try EntityDecoder.entity(object, named: name))
        }
        return Self.withoutRepeatedProperties(entities)
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Returns the members of a configuration. They are sorted because the archive contains them as a set.
    private func entityNames(in members: ArchivedValue) throws(ModelArchiveError) -> [String] {
        var names: [String] = []
        for member in try members.object?.elements() ?? [] {
            if let name = try member.object?.string("NSEntityName") ?? member.string {
                names.append(name)
            }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Removes properties that a superentity already has. The caches in stores repeat inherited properties in
    /// every subentity, as full copies or as proxies.
    private static func withoutRepeatedProperties(
        _ entities: [EntityDescription]
    ) -> [EntityDescription] {
        let byName = Dictionary(
            entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return entities.map { entity in
            var inherited = Set<String>()
            var seen: Set<String> = [entity.name]
            var next = entity.superentity
            while let name = next, seen.insert(name).inserted, let ancestor = byName[name] {
                inherited.formUnion(ancestor.properties.map(\.name))
                next = ancestor.superentity
            }
            var own = entity
            own.properties.removeAll { inherited.contains($0.name) }
            return own
        }
    }
}

/// Cairn's own keys, for values that Core Data's archives cannot represent. `NSKeyedUnarchiver` ignores
/// keys that a class does not ask for, so Core Data can still read these archives.
enum ArchiveKey {
    static let isNotSyncable = "CairnIsNotSyncable"
    static let usesScalarValueType = "CairnUsesScalarValueType"
    /// The class of the values that a named transformer produces.
    static let valueClassName = "CairnValueClassName"
    static let compositeName = "CairnCompositeName"
    static let composites = "CairnComposites"
    /// Default values and bounds of a source model that are not values of the type.
    static let unreadableValues = "CairnUnreadableValues"
    /// The original text of an expression, if it cannot be restored from the archived expression.
    static let expressionText = "CairnExpressionText"
    /// Set on `NOT (ANY …)` if the author wrote `NONE`.
    static let isNone = "CairnIsNone"
    /// The text of a predicate that could not be parsed, and the reason.
    static let unreadableText = "CairnUnreadableText"
    static let unreadableReason = "CairnUnreadableReason"
}
