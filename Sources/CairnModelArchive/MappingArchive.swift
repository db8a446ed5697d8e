import CairnModel

/// Reads mapping models in the form to which Core Data's tools compile them: the content of a `.cdm` file.
///
/// docs/formats/model-archive.md lists the classes and keys.
package enum MappingArchive {
    /// Reads an archived mapping model.
    ///
    /// An expression outside of our grammar is kept as a function without meaning, so that a migration refuses
    /// it and names its property.
    ///
    /// - Throws: `.damaged` if the bytes are inconsistent; `.unexpectedRoot` if they contain something else.
    package static func decode(_ bytes: [UInt8]) throws(ModelArchiveError) -> MappingModel {
        guard let root = try KeyedArchive(bytes).root().object,
            root.fields["NSEntityMappings"] != nil
        else { throw .unexpectedRoot("the archive contains no mapping model") }
        var mappings: [EntityMapping] = []
        for case .object(let object) in try root.elements("NSEntityMappings") {
            mappings.append(try entityMapping(object))
        }
        return MappingModel(mappings)
    }

    /// Reads an archived expression.
    ///
    /// - Throws: `.damaged` if the bytes are inconsistent.
    package static func expression(_ bytes: [UInt8]) throws(ModelArchiveError) -> FetchExpression {
        expression(try KeyedArchive(bytes).root())
    }

    private static func expression(_ value: ArchivedValue) -> FetchExpression {
        var decoder = PredicateDecoder(readsMethods: true)
        do {
            return try decoder.expression(value, depth: 0)
        } catch {
            return .function("unreadable", [.constant(.string(error.reason))])
        }
    }

    private static func entityMapping(
        _ object: ArchivedObject
    ) throws(ModelArchiveError) -> EntityMapping {
        var mapping = EntityMapping(
            try object.string("NSMappingName") ?? "",
            from: try object.string("NSSourceEntityName"),
            to: try object.string("NSDestinationEntityName"),
            attributes: try propertyMappings(object, "NSAttributeMappings"),
            relationships: try propertyMappings(object, "NSRelationshipMappings"),
            policy: try object.string("NSEntityMigrationPolicyClassName")
                .flatMap { $0.isEmpty ? nil : $0 })
        mapping.userInfo = try EntityDecoder.userInfo(of: object)
        mapping.sourceEntityVersionHash = try hash(object, "NSSourceEntityVersionHash")
        mapping.destinationEntityVersionHash = try hash(object, "NSDestinationEntityVersionHash")
        mapping.unsupportedPart = try unsupportedPart(object, of: mapping)
        return mapping
    }

    private static func propertyMappings(
        _ object: ArchivedObject, _ key: String
    ) throws(ModelArchiveError) -> [PropertyMapping] {
        var mappings: [PropertyMapping] = []
        for case .object(let property) in try object.elements(key) {
            let value = try property.value("NSValueExpression")
            var mapping = PropertyMapping(
                try property.string("NSDestinationPropertyName") ?? "",
                value.object == nil ? nil : expression(value))
            mapping.userInfo = try EntityDecoder.userInfo(of: property)
            mappings.append(mapping)
        }
        return mappings
    }

    private static func hash(
        _ object: ArchivedObject, _ key: String
    ) throws(ModelArchiveError) -> VersionHash? {
        guard case .data(let bytes) = try object.value(key) else { return nil }
        return VersionHash(Array(bytes))
    }

    /// Returns what the mapping reads other than all objects of its source entity, or `nil` if it reads these.
    private static func unsupportedPart(
        _ object: ArchivedObject, of mapping: EntityMapping
    ) throws(ModelArchiveError) -> String? {
        guard let source = try object.object("NSSourceExpression") else { return nil }
        let own = "a source expression of its own"
        guard source.className == "NSFetchRequestExpression" else { return own }
        guard
            case .function(
                "fetchRequestForSourceEntityNamed:predicateString:", let arguments) = expression(
                    try source.value("NSFRExpression")), arguments.count == 3,
            case .constant(.string(let predicate)) = arguments[2],
            arguments[1] == .constant(.string(mapping.sourceEntityName ?? ""))
        else { return own }
        return predicate == "TRUEPREDICATE" ? nil : "the filter predicate “\(predicate)”"
    }
}
