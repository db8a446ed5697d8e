internal import CairnModel
internal import CairnQueries

/// Compiles a schema into Cairn's model, and finds the inverses of relationships.
struct SchemaCompiler {
    /// A relationship of a class that declares it itself.
    private struct End: Hashable {
        let entity: String
        let name: String
        let destination: String
        /// The name of the inverse that the declaration gives.
        let givenInverse: String?
    }

    private let types: [any PersistentModel.Type]
    private let entities: [ModelEntity]
    private var inverses: [End: String] = [:]
    private let ends: [End]

    init(_ schema: Schema) {
        types = schema.types
        let entities = types.map { ModelEntity($0) }
        self.entities = entities
        ends = types.flatMap { type in
            type.schemaMetadata.compactMap { metadata -> End? in
                guard case .property(let property) = metadata.content,
                    let destination = metadata.destination
                else { return nil }
                let target = entities.first { $0.type == destination }
                let inverse = property.relationship?.inverse.flatMap { path in
                    PropertySteps(path)?.identifiers.first.flatMap {
                        target?.name(ofPropertyWith: $0)
                    }
                }
                return End(
                    entity: ModelEntity.name(of: type), name: property.name,
                    destination: ModelEntity.name(of: destination), givenInverse: inverse)
            }
        }
        findInverses()
    }

    /// Compiles the schema.
    ///
    /// - Parameter configurations: The names of the entities in each configuration.
    /// - Throws: `.invalid` with all problems.
    func model(
        configurations: [String: [String]] = [:]
    ) throws(ModelError) -> (model: ManagedObjectModel, entities: [ModelEntity]) {
        var description = ModelDescription(types.map(entity))
        description.configurations = configurations
        for type in types {
            for case .property(let property) in type.schemaMetadata.map(\.content) {
                description.composites += property.composites(in: ModelEntity.name(of: type))
            }
        }
        return (try ManagedObjectModel(description), entities)
    }

    // MARK: Inverses

    private mutating func findInverses() {
        for end in ends {
            guard let name = end.givenInverse else { continue }
            inverses[end] = name
            for other in ends where other.name == name && leads(other, to: end) {
                inverses[other] = end.name
            }
        }
        for end in ends where inverses[end] == nil {
            let candidates = ends.filter { isCandidate($0, for: end) }
            guard candidates.count == 1, let other = candidates.first,
                ends.filter({ isCandidate($0, for: other) }) == [end]
            else { continue }
            (inverses[end], inverses[other]) = (other.name, end.name)
        }
    }

    /// Returns whether a relationship may be the inverse of another one: it leads back, and neither has an inverse
    /// yet.
    private func isCandidate(_ other: End, for end: End) -> Bool {
        other != end && inverses[other] == nil && inverses[end] == nil && leads(other, to: end)
    }

    private func leads(_ other: End, to end: End) -> Bool {
        other.entity == end.destination && other.destination == end.entity
    }

    // MARK: Entities

    private func entity(of type: any PersistentModel.Type) -> EntityDescription {
        var description = EntityDescription(
            ModelEntity.name(of: type),
            superentity: ModelEntity.superclass(of: type).map(ModelEntity.name))
        // `.unique` and `#Unique` may say the same.
        func addConstraint(_ names: [String]) {
            if !description.uniquenessConstraints.contains(names) {
                description.uniquenessConstraints.append(names)
            }
        }
        for metadata in type.schemaMetadata {
            switch metadata.content {
            case .property(let property):
                let end = ends.first { $0.entity == description.name && $0.name == property.name }
                description.properties.append(
                    property.description(
                        in: description.name, inverse: end.flatMap { inverses[$0] }))
                if property.attribute?.options.contains(.unique) == true {
                    addConstraint([property.name])
                }
            case .unique(let lists): lists.forEach(addConstraint)
            case .index(let lists):
                // The name that SwiftData gives its indexes.
                description.fetchIndexes += lists.map { names in
                    FetchIndexDescription(
                        "SwiftDataIndexOnBinary" + names.joined(),
                        elements: names.map { .init($0) })
                }
            case .identifiers: break
            }
        }
        return description
    }
}
