import CairnModel
import CairnStore

/// Derives a model from the objects of a store that contains no model. The model is only meant for reading.
///
/// Names are those in the file, which are case-folded, except that entities have the case of the version
/// hashes. All properties are optional, and relationships have no inverses, so each side is read as it is
/// written. If an object is a member of a relationship whose destination is a different entity, the object's
/// entity becomes a subentity of the destination. Properties without a value in any object are missing.
struct ModelDerivation {
    /// The version identifier that marks a derived model.
    static let mark = "derived from the objects of an XML store"

    /// Returns whether a model was derived. The hashes of a derived model differ from those of the store, and
    /// the store can only be read with it.
    static func made(_ model: ManagedObjectModel) -> Bool {
        model.description.versionIdentifiers.contains(mark)
    }

    let shape: DocumentShape
    /// The names of the entities in the metadata.
    let entityNames: Set<String>
    let location: StoreLocation

    /// - Throws: `.unsupported`, with the information that is missing from the file.
    func model() throws(StoreError) -> ModelDescription {
        var names: [String: String] = [:]
        for name in entityNames.sorted() { names[name.uppercased()] = name }
        let supers = shape.superentities
        var inFile = Set(shape.entities.keys).union(supers.values.joined())
        for entity in shape.entities.values {
            inFile.formUnion(entity.relationships.values.map(\.destination))
        }
        let known = Set(inFile.map { $0.uppercased() })
        inFile.formUnion(entityNames.filter { !known.contains($0.uppercased()) })
        var description = ModelDescription()
        description.versionIdentifiers = [Self.mark]
        for name in inFile.sorted() {
            description.entities.append(try entity(name, supers: supers[name] ?? [], names))
        }
        return description
    }

    private func entity(
        _ name: String, supers: Set<String>, _ names: [String: String]
    ) throws(StoreError) -> EntityDescription {
        func known(_ name: String) -> String { names[name.uppercased()] ?? name }
        guard supers.count < 2 else {
            throw missing(
                "from which entity \(known(name)) inherits, because its objects are members of"
                    + " relationships to \(supers.sorted().map(known).joined(separator: " and "))")
        }
        let shape = shape.entities[name] ?? DocumentShape.Entity()
        let above = supers.first.flatMap { self.shape.entities[$0] } ?? DocumentShape.Entity()
        var entity = EntityDescription(known(name), superentity: supers.first.map(known))
        for (attribute, type) in shape.attributes.sorted(by: { $0.key < $1.key })
        where above.attributes[attribute] == nil {
            guard let type = Self.types[type] else {
                throw missing("the attribute type “\(type)” of \(known(name)).\(attribute)")
            }
            entity.properties.append(.attribute(attribute, type))
        }
        for (relationship, shape) in shape.relationships.sorted(by: { $0.key < $1.key })
        where above.relationships[relationship] == nil {
            let isToOne = shape.bounds.hasSuffix("/1")
            entity.properties.append(
                isToOne
                    ? .toOne(relationship, known(shape.destination))
                    : .toMany(relationship, known(shape.destination), isOrdered: shape.isOrdered))
        }
        return entity
    }

    /// The attribute types by the `type` of an element. Transformable values look like binary ones and are
    /// read as such. Composites are missing because files do not contain their elements.
    private static let types: [String: AttributeType] = [
        "bool": .boolean, "int16": .integer16, "int32": .integer32, "int64": .integer64,
        "double": .double, "float": .float, "decimal": .decimal, "date": .date,
        "string": .string, "uri": .uri, "uuid": .uuid, "binary": .binary,
    ]

    private func missing(_ what: String) -> StoreError {
        .unsupported(
            location, feature: "no model, and its objects do not show \(what)",
            advice: "Pass the model that it was written with.")
    }
}
