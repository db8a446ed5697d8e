import CairnSAX

/// The parts of the model that are visible in a document: entities and properties by their names in the file.
///
/// They are read separately from the objects, so that reading a store with a model has no additional cost.
struct DocumentShape: SAXHandler {
    /// The visible parts of an entity.
    struct Entity {
        /// The `type` of each attribute.
        var attributes: [String: String] = [:]
        var relationships: [String: Relationship] = [:]
    }

    /// The visible parts of a relationship.
    struct Relationship: Equatable {
        /// The minimum and maximum number of members, such as `1/1`, or `0/0` for any number.
        var bounds: String
        var destination: String
        var isOrdered = false
    }

    /// The entities by name.
    private(set) var entities: [String: Entity] = [:]
    /// The entity of each object, by the object's identifier.
    private var types: [Substring: String] = [:]
    /// The members of relationships. Their entities may be subentities of the declared destination.
    private var members: [(destination: String, id: Substring)] = []
    private var open: [String] = []
    private var object = ""

    /// The DOCTYPE is also checked when the whole document is read.
    func documentType(_ type: SAXDocumentType, line: Int) throws(XMLDamage) {
        try StoreDocument.check(type, line: line)
    }

    mutating func begin(
        _ name: SAXName, _ attributes: SAXAttributes, line: Int
    ) throws(XMLDamage) {
        let name = name.text
        open.append(name)
        switch (open.count, name) {
        case (2, "object"):
            object = attributes["type"] ?? ""
            types[Substring(attributes["id"] ?? "")] = object
            if entities[object] == nil { entities[object] = Entity() }
        case (3, "attribute"): try note(attribute: attributes, line: line)
        case (3, "relationship"): try note(relationship: attributes, line: line)
        default: break
        }
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) {}

    mutating func end(line: Int) throws(XMLDamage) { _ = open.popLast() }

    private mutating func note(attribute element: SAXAttributes, line: Int) throws(XMLDamage) {
        let name = element["name"] ?? ""
        guard let type = element["type"] else {
            throw XMLDamage(line: line, detail: "the attribute “\(name)” has no type")
        }
        if let known = entities[object]?.attributes.updateValue(type, forKey: name), known != type {
            throw XMLDamage(
                line: line,
                detail: "the attribute “\(name)” has the type “\(type)” here, but “\(known)” before"
            )
        }
    }

    private mutating func note(relationship element: SAXAttributes, line: Int) throws(XMLDamage) {
        let name = element["name"] ?? ""
        guard let bounds = element["type"], let destination = element["destination"] else {
            throw XMLDamage(
                line: line, detail: "the relationship “\(name)” has no type or no destination")
        }
        var shape = Relationship(bounds: bounds, destination: destination)
        shape.isOrdered = element["orderkeys"] != nil
        if let known = entities[object]?.relationships[name] {
            guard known.bounds == bounds, known.destination == destination else {
                throw XMLDamage(
                    line: line,
                    detail:
                        "the relationship “\(name)” has another destination than in other objects")
            }
            shape.isOrdered = shape.isOrdered || known.isOrdered
        }
        entities[object]?.relationships[name] = shape
        for id in (element["idrefs"] ?? "").split(whereSeparator: \.isWhitespace) {
            members.append((destination, id))
        }
    }

    /// The entities that each entity must inherit from. These are the declared destinations of the
    /// relationships that objects of the entity are members of.
    var superentities: [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for member in members {
            guard let type = types[member.id], type != member.destination else { continue }
            found[type, default: []].insert(member.destination)
        }
        return found
    }
}
