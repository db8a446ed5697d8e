import CairnModel

/// Decodes composites.
///
/// A composite is an attribute with a class of its own, whose `NSCompositeElements` lists the attributes
/// inside. Core Data archives no name of the composite, so Cairn stores the name under a key of its own.
enum CompositeDecoder {
    static let elementsKey = "NSCompositeElements"
    /// The maximum nesting depth of composites. A limit is necessary because the depth comes from a file.
    private static let depthLimit = 32

    /// Returns the composites that the model lists, in the order of the list, followed by those that occur
    /// only in attributes of the decoded entities, sorted by name.
    static func composites(
        of model: ArchivedObject, usedBy entities: [EntityDescription]
    ) throws(ModelArchiveError) -> [CompositeDescription] {
        let used = Set(
            entities.flatMap(\.properties).compactMap { property in
                if case .attribute(let attribute) = property {
                    attribute.compositeName
                } else {
                    nil
                }
            })
        var found: [String: CompositeDescription] = [:]
        var declared: [String] = []
        for (name, value) in try model.entries(ArchiveKey.composites) {
            guard let list = value.object else { continue }
            declared.append(name)
            try collect(list.elements(), named: name, depth: 0, into: &found)
        }
        for (entityName, entity) in try model.entries("NSEntities") {
            for (name, value) in try entity.object?.entries("NSProperties") ?? [] {
                guard let attribute = value.object,
                    try attribute.integer("NSAttributeType")
                        == Int(AttributeType.composite.rawValue)
                else { continue }
                let composite = try self.name(of: attribute, attribute: "\(entityName).\(name)")
                // A store's cache repeats inherited attributes, which are not decoded.
                guard used.contains(composite) else { continue }
                try collect(
                    archivedElements(of: attribute), named: composite, depth: 0, into: &found)
            }
        }
        let others = Set(found.keys).subtracting(declared)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return (declared + others).compactMap { found.removeValue(forKey: $0) }
    }

    /// Returns the name of an attribute's composite, or the attribute's qualified name if the archive does
    /// not contain the name of the composite.
    static func name(
        of attribute: ArchivedObject, attribute qualifiedName: String
    ) throws(ModelArchiveError) -> String {
        try attribute.string(ArchiveKey.compositeName) ?? qualifiedName
    }

    /// Returns the elements of a composite attribute. Cairn wrote them under `NSElements` before the key
    /// of Core Data was known.
    private static func archivedElements(
        of attribute: ArchivedObject
    ) throws(ModelArchiveError) -> [ArchivedValue] {
        let hasElements = attribute.fields[elementsKey] != nil
        return try attribute.elements(hasElements ? elementsKey : "NSElements")
    }

    private static func collect(
        _ members: [ArchivedValue], named name: String, depth: Int,
        into found: inout [String: CompositeDescription]
    ) throws(ModelArchiveError) {
        guard found[name] == nil else { return }
        guard depth < depthLimit else {
            throw .wrongValue(
                object: "composite \(name)", key: elementsKey,
                detail: "composites are nested too deeply")
        }
        var elements: [AttributeDescription] = []
        found[name] = CompositeDescription(name, [])
        for member in members {
            guard let object = member.object, let element = try object.string("NSPropertyName")
            else { continue }
            let qualifiedName = "\(name).\(element)"
            let attribute = try PropertyDecoder.attribute(
                object, named: element, qualifiedName: qualifiedName)
            if let inner = attribute.compositeName {
                try collect(
                    archivedElements(of: object), named: inner, depth: depth + 1, into: &found)
            }
            elements.append(attribute)
        }
        found[name] = CompositeDescription(name, elements)
    }
}
