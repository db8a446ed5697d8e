import CairnModel

/// Decodes composites.
///
/// No compiled model with a composite is publicly available. We assume that composites are attributes with
/// a class of their own, whose `NSElements` lists the attributes inside. The name of the composite is
/// stored under one of Cairn's own keys.
enum CompositeDecoder {
    /// The maximum nesting depth of composites. A limit is necessary because the depth comes from a file.
    private static let depthLimit = 32

    /// Returns the composites that the model lists, in the order of the list, followed by those that occur
    /// only in attributes, sorted by name.
    static func composites(
        of model: ArchivedObject
    ) throws(ModelArchiveError) -> [CompositeDescription] {
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
                try collect(
                    attribute.elements("NSElements"), named: composite, depth: 0, into: &found)
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

    private static func collect(
        _ members: [ArchivedValue], named name: String, depth: Int,
        into found: inout [String: CompositeDescription]
    ) throws(ModelArchiveError) {
        guard found[name] == nil else { return }
        guard depth < depthLimit else {
            throw .wrongValue(
                object: "composite \(name)", key: "NSElements",
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
                    object.elements("NSElements"), named: inner, depth: depth + 1, into: &found)
            }
            elements.append(attribute)
        }
        found[name] = CompositeDescription(name, elements)
    }
}
