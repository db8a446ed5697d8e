internal import CairnModel
internal import CairnQueries

/// The entity of a model's class.
// Unchecked: nothing changes after the entity was created. Key paths and forms of values are immutable, too.
final class ModelEntity: @unchecked Sendable {
    let name: String
    let type: any PersistentModel.Type
    /// All properties, including inherited ones, by name.
    let properties: [String: ModelProperty]
    /// The properties that are declared with `let`, whose values are in the instances.
    let constants: [ModelProperty]
    /// The names of all properties, by the identity that their key paths have.
    private let namesByIdentifier: [UInt: String]
    /// The key paths that lead to a model's identifier.
    private let identifierPaths: [AnyKeyPath]

    init(_ type: any PersistentModel.Type) {
        self.type = type
        name = Self.name(of: type)
        var properties: [String: ModelProperty] = [:]
        var paths: [AnyKeyPath] = []
        for metadata in Self.lineage(of: type).flatMap({ $0.schemaMetadata }) {
            switch metadata.content {
            case .property(let property): properties[property.name] = property
            case .identifiers(let found): paths += found
            case .unique, .index: break
            }
        }
        self.properties = properties
        constants = properties.values.filter { $0.constant != nil }
        identifierPaths = paths.filter { Swift.type(of: $0).valueType == PersistentIdentifier.self }
        namesByIdentifier = Dictionary(
            properties.values.compactMap { property in
                property.identifier.map { ($0, property.name) }
            },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the entity's name: that of the class, without the types that contain it.
    static func name(of type: any PersistentModel.Type) -> String { "\(type)" }

    /// Returns the superclass if it is a model, and `nil` otherwise.
    static func superclass(of type: any PersistentModel.Type) -> (any PersistentModel.Type)? {
        _getSuperclass(type) as? any PersistentModel.Type
    }

    /// Returns the class and the superclasses that are models, the topmost first.
    private static func lineage(of type: any PersistentModel.Type) -> [any PersistentModel.Type] {
        (superclass(of: type).map(lineage) ?? []) + [type]
    }

    func name(ofPropertyWith identifier: UInt) -> String? { namesByIdentifier[identifier] }

    func isIdentifier(_ path: AnyKeyPath) -> Bool { identifierPaths.contains(path) }

    /// Returns the model that a relationship leads to. Returns `nil` for an attribute.
    func destination(of property: String) -> (any PersistentModel.Type)? {
        switch properties[property]?.kind {
        case .toOne(let type, _)?, .toMany(let type, _)?: type
        case .attribute?, nil: nil
        }
    }
}
