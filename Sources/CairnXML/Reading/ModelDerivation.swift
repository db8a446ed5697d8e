import CairnModel
import CairnStore

/// Makes a model of what a store without one shows by its objects, for reading them.
///
/// Names are those of the file, whose case is folded; entities have the case of the version hashes.
/// Every property is optional, no relationship has an inverse: each side is read as it is written.
/// An entity whose objects are members of a relationship to another is below that one. What no object
/// has a value for is not in it.
struct ModelDerivation {
    /// Marks a derived model among its version identifiers.
    static let mark = "derived from the objects of an XML store"

    /// Whether a model was derived: its hashes are not the store's, and it is for reading only.
    static func made(_ model: ManagedObjectModel) -> Bool {
        model.description.versionIdentifiers.contains(mark)
    }

    let shape: DocumentShape
    /// The names in the metadata.
    let entityNames: Set<String>
    let location: StoreLocation

    /// - Throws: `.unsupported`, with what the file does not say.
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
                "how \(known(name)) inherits: its objects are members of relationships to "
                    + supers.sorted().map(known).joined(separator: " and "))
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

    /// By `type` of an element. Transformable values look like binary ones, and are read as such;
    /// the elements of a composite are in no file.
    private static let types: [String: AttributeType] = [
        "bool": .boolean, "int16": .integer16, "int32": .integer32, "int64": .integer64,
        "double": .double, "float": .float, "decimal": .decimal, "date": .date,
        "string": .string, "uri": .uri, "uuid": .uuid, "binary": .binary,
    ]

    private func missing(_ what: String) -> StoreError {
        .unsupported(
            location, feature: "no model, and its objects do not show \(what)",
            advice: "Give the model it was written with.")
    }
}
