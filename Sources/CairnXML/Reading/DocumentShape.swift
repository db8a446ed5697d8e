import CairnSAX

/// What a document shows of its model: entities and properties by their names in the file.
///
/// Gathered apart from the objects, so that a store with a model of its own pays nothing for it.
struct DocumentShape: SAXHandler {
    /// What the objects of an entity show.
    struct Entity {
        /// `type` of each attribute.
        var attributes: [String: String] = [:]
        var relationships: [String: Relationship] = [:]
    }

    /// What a relationship's elements show.
    struct Relationship: Equatable {
        /// The least and the most members: `1/1`, `0/0` for any number.
        var bounds: String
        var destination: String
        var isOrdered = false
    }

    /// By name.
    private(set) var entities: [String: Entity] = [:]
    /// The entity of each object, by its id.
    private var types: [Substring: String] = [:]
    /// Members of relationships whose entity may be below the one that is declared.
    private var members: [(destination: String, id: Substring)] = []
    private var open: [String] = []
    private var object = ""

    /// The handler of the whole document has checked the DOCTYPE, or will.
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
                line: line, detail: "the attribute “\(name)” is “\(known)” here and “\(type)” there"
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
                    line: line, detail: "the relationship “\(name)” leads elsewhere than before")
            }
            shape.isOrdered = shape.isOrdered || known.isOrdered
        }
        entities[object]?.relationships[name] = shape
        for id in (element["idrefs"] ?? "").split(whereSeparator: \.isWhitespace) {
            members.append((destination, id))
        }
    }

    /// The entities that must be above each entity: the declared destinations of relationships that
    /// objects of the entity are members of.
    var superentities: [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for member in members {
            guard let type = types[member.id], type != member.destination else { continue }
            found[type, default: []].insert(member.destination)
        }
        return found
    }
}
