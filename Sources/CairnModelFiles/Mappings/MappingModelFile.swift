import CairnModel
import CairnModelArchive
import CairnSAX
import Foundation

/// A mapping model in a file, which may refer to versions of any model.
///
/// Compiled mapping models (`.cdm`) contain the hashes of the entities that they map. Source files
/// (`.xcmappingmodel`) contain the paths of both versions, and leave out the expressions that Xcode generates.
/// docs/formats/model-archive.md lists the keys.
struct MappingModelFile {
    private enum Content {
        case compiled(MappingModel)
        case source(MappingDocument)
    }

    private let name: String
    private let location: URL
    private let content: Content

    /// The file extensions of mapping models.
    static let extensions = ["cdm", "xcmappingmodel"]

    /// Reads a mapping model.
    ///
    /// - Throws: `.unreadable`.
    init(contentsOf location: URL) throws(ModelError) {
        name = location.deletingPathExtension().lastPathComponent
        self.location = location
        let isCompiled = location.pathExtension == "cdm"
        let file = isCompiled ? location : location.appendingPathComponent("xcmapping.xml")
        let bytes = try ModelFile.bytes(file)
        if isCompiled {
            do {
                content = .compiled(try MappingArchive.decode(bytes))
            } catch {
                throw .unreadable(file: file, location: "the archive", detail: "\(error)")
            }
        } else {
            do {
                content = .source(try MappingDocument(bytes))
            } catch {
                throw .unreadable(
                    file: file, location: "line \(error.line)", detail: error.detail)
            }
        }
    }

    /// Returns the mapping model with the hashes of both versions, or a finding that says why it fits no two
    /// of the versions. Returns `nil` if it belongs to another model.
    ///
    /// - Throws: `.unreadable` for an expression that is damaged.
    func mapping(
        among versions: [String: ManagedObjectModel]
    ) throws(ModelError) -> Result<ModelHistory.Mapping, Misfit>? {
        switch content {
        case .compiled(let model): return mapping(model, among: versions)
        case .source(let document):
            let names = try ["sourcemodelpath", "destinationmodelpath"].map {
                (attribute) throws(ModelError) in try versionName(attribute, of: document)
            }
            guard let source = versions[names[0]], let destination = versions[names[1]] else {
                guard let missing = names.first(where: { versions[$0] == nil }),
                    names.contains(where: { versions[$0] != nil })
                else { return nil }
                return .failure(misfit("the model has no version “\(missing)”"))
            }
            let reader = MappingSourceReader(document, from: source, to: destination)
            do {
                return .success(
                    ModelHistory.Mapping(
                        name: name, sourceHashes: source.entityVersionHashes,
                        destinationHashes: destination.entityVersionHashes,
                        model: try reader.model()))
            } catch {
                throw .unreadable(
                    file: location, location: "a value expression", detail: "\(error)")
            }
        }
    }

    /// The reason that a mapping model fits no two versions.
    struct Misfit: Error { let finding: InferenceFinding }

    private func misfit(_ reason: String) -> Misfit {
        Misfit(
            finding: InferenceFinding(
                "The mapping model “\(name)”", nil, "it is not used, because \(reason)"))
    }

    private func mapping(
        _ model: MappingModel, among versions: [String: ManagedObjectModel]
    ) -> Result<ModelHistory.Mapping, Misfit>? {
        let old = model.hashes(\.sourceEntityName, \.sourceEntityVersionHash)
        let new = model.hashes(\.destinationEntityName, \.destinationEntityVersionHash)
        for (side, hashes) in [("from", old), ("to", new)] {
            guard versions.values.contains(where: { $0.declares(hashes) })
            else {
                let known = versions.values.map(\.entityVersionHashes)
                guard hashes.keys.allSatisfy({ name in known.contains { $0[name] != nil } })
                else { return nil }
                let changed = hashes.filter { name, hash in
                    !known.contains { $0[name] == hash }
                }
                let names = (changed.isEmpty ? hashes : changed).keys.sorted()
                return .failure(
                    misfit(
                        "the version that it maps \(side) is none of the model's: "
                            + names.map { "“\($0)”" }.joined(separator: ", ")
                            + (names.count == 1 ? " has another hash" : " have other hashes")))
            }
        }
        return .success(
            ModelHistory.Mapping(
                name: name, sourceHashes: old, destinationHashes: new, model: model))
    }

    private func versionName(
        _ attribute: String, of document: MappingDocument
    ) throws(ModelError) -> String {
        guard let path = document.root.attributes[attribute] else {
            throw .unreadable(
                file: location, location: attribute,
                detail: "the mapping model does not contain it")
        }
        let last = path.split(separator: "/").last.map(String.init) ?? path
        return (last as NSString).deletingPathExtension
    }
}

extension MappingModel {
    fileprivate func hashes(
        _ name: KeyPath<EntityMapping, String?>, _ hash: KeyPath<EntityMapping, VersionHash?>
    ) -> [String: VersionHash] {
        var hashes: [String: VersionHash] = [:]
        for mapping in entityMappings {
            if let name = mapping[keyPath: name] { hashes[name] = mapping[keyPath: hash] }
        }
        return hashes
    }
}

/// Makes a mapping model from a source file, with the expressions that Xcode generates when it compiles one.
private struct MappingSourceReader {
    private let document: MappingDocument
    private let source: ManagedObjectModel
    private let destination: ManagedObjectModel
    private let mappings: [MappingDocument.Object]

    init(
        _ document: MappingDocument, from source: ManagedObjectModel,
        to destination: ManagedObjectModel
    ) {
        self.document = document
        self.source = source
        self.destination = destination
        mappings = document.objects("entitymappings", of: document.root).sorted {
            Self.number(of: $0) < Self.number(of: $1)
        }
    }

    private static func number(of object: MappingDocument.Object) -> Int {
        object.attributes["mappingnumber"].flatMap { Int($0) } ?? 0
    }

    /// Returns the rules.
    ///
    /// - Throws: An `ArchiveError` or a `FetchPredicateError` for an expression that cannot be read.
    func model() throws -> MappingModel {
        MappingModel(try mappings.map(entityMapping))
    }

    private func entityMapping(_ object: MappingDocument.Object) throws -> EntityMapping {
        let (from, to) = (object.attributes["sourcename"], object.attributes["destinationname"])
        let policy = object.attributes["migrationpolicyclassname"] ?? ""
        var mapping = EntityMapping(
            name(of: object), from: from, to: to, policy: policy.isEmpty ? nil : policy)
        mapping.attributeMappings = try document.objects("attributemappings", of: object).map {
            try propertyMapping($0, of: object, generated: generatedAttribute)
        }
        mapping.relationshipMappings = try document.objects("relationshipmappings", of: object)
            .map { try propertyMapping($0, of: object, generated: generatedRelationship) }
        mapping.sourceEntityVersionHash = from.flatMap(source.entity)?.versionHash
        mapping.destinationEntityVersionHash = to.flatMap(destination.entity)?.versionHash
        let unknown = object.attributes.keys.filter { !Self.knownAttributes.contains($0) }
        mapping.unsupportedPart = unknown.min().map { "“\($0)”" }
        return mapping
    }

    /// The attributes of entity mappings in all known files. Others would be filters.
    private static let knownAttributes: Set = [
        "sourcename", "destinationname", "mappingtypename", "mappingnumber", "name",
        "autogenerateexpression", "migrationpolicyclassname",
    ]

    private func name(of object: MappingDocument.Object) -> String {
        if let name = object.attributes["name"] { return name }
        let names = [object.attributes["sourcename"], object.attributes["destinationname"]]
        return names.compactMap(\.self).joined(separator: "To")
    }

    private func propertyMapping(
        _ property: MappingDocument.Object, of mapping: MappingDocument.Object,
        generated: (String, MappingDocument.Object) -> FetchExpression?
    ) throws -> PropertyMapping {
        let name = property.attributes["name"] ?? ""
        if let text = property.attributes["valueexpressiondata"],
            let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters)
        {
            return PropertyMapping(name, try MappingArchive.expression(Array(data)))
        }
        if let path = property.attributes["sourcekeypath"], !path.isEmpty {
            let end = try FetchExpression(format: path)
            let mappingName = property.attributes["sourcemappingname"]
            return PropertyMapping(
                name,
                mappingName.map { Self.destinations(of: $0, end) }
                    ?? Self.destinations(throughRelationship: name, end))
        }
        let isGenerated =
            mapping.attributes["autogenerateexpression"] != "0"
            && property.attributes["autogenerateexpression"] != "0"
        return PropertyMapping(name, isGenerated ? generated(name, mapping) : nil)
    }

    // MARK: Generated expressions

    private func sourceEntity(of mapping: MappingDocument.Object) -> Entity? {
        mapping.attributes["sourcename"].flatMap(source.entity)
    }

    private func generatedAttribute(
        _ name: String, _ mapping: MappingDocument.Object
    ) -> FetchExpression? {
        guard let attribute = sourceEntity(of: mapping)?.attribute(named: name) else { return nil }
        return attribute.isTransient ? nil : .keyPathOf(.variable("source"), [name])
    }

    /// The objects of one mapping if there is only one for the destinations, or of any mapping.
    private func generatedRelationship(
        _ name: String, _ mapping: MappingDocument.Object
    ) -> FetchExpression? {
        guard let relationship = sourceEntity(of: mapping)?.relationship(named: name),
            !relationship.isTransient,
            let new = mapping.attributes["destinationname"].flatMap(destination.entity)?
                .relationship(named: name)
        else { return nil }
        let end = FetchExpression.keyPathOf(.variable("source"), [name])
        let members = relationship.destination
        let fitting = mappings.filter { candidate in
            candidate.attributes["sourcename"] == members.name
                && candidate.attributes["destinationname"] == new.destination.name
        }
        guard fitting.count == 1, members.hierarchy.count == 1 else {
            return Self.destinations(throughRelationship: name, end)
        }
        return Self.destinations(of: self.name(of: fitting[0]), end)
    }

    private static func destinations(
        of mapping: String, _ end: FetchExpression
    ) -> FetchExpression {
        .function(
            "destinationInstancesForEntityMappingNamed:sourceInstances:",
            [.variable("manager"), .constant(.string(mapping)), end])
    }

    private static func destinations(
        throughRelationship name: String, _ end: FetchExpression
    ) -> FetchExpression {
        .function(
            "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
            [.variable("manager"), .constant(.string(name)), end])
    }
}
