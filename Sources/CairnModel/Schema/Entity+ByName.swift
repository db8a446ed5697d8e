import Foundation

extension ManagedObjectModel {
    /// All entities by name. Creates a dictionary; to find a single entity, use ``entity(named:)``.
    public var entitiesByName: [String: Entity] {
        Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The version hash of each entity by name, in the form that stores record.
    public var entityVersionHashesByName: [String: Data] {
        entitiesByName.mapValues(\.versionHash.data)
    }
}

extension Entity {
    /// All properties by name, including inherited ones. Creates a dictionary; to find a single property, use
    /// ``property(named:)``.
    public var propertiesByName: [String: Property] {
        Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// All attributes by name, including inherited ones. Creates a dictionary; to find a single attribute,
    /// use ``attribute(named:)``.
    public var attributesByName: [String: Attribute] {
        Dictionary(attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// All relationships by name, including inherited ones. Creates a dictionary; to find a single
    /// relationship, use ``relationship(named:)``.
    public var relationshipsByName: [String: Relationship] {
        Dictionary(relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The direct subentities by name, without the subentities of these. Creates a dictionary with each
    /// access.
    public var subentitiesByName: [String: Entity] {
        Dictionary(subentities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The name of the class of the entity's objects, or `nil` if the model does not specify a class.
    public var managedObjectClassName: String? { description.managedObjectClassName }
    /// Additional information that the author of the model added to the entity.
    public var userInfo: [String: String] { description.userInfo }
}
