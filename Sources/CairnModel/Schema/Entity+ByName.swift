import Foundation

extension ManagedObjectModel {
    /// All entities by their names. Makes a dictionary: to find one entity, use ``entity(named:)``.
    public var entitiesByName: [String: Entity] {
        Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The version hash of each entity by its name, as stores record them.
    public var entityVersionHashesByName: [String: Data] {
        entitiesByName.mapValues(\.versionHash.data)
    }
}

extension Entity {
    /// All properties by their names, inherited ones included. Makes a dictionary: to find one property,
    /// use ``property(named:)``.
    public var propertiesByName: [String: Property] {
        Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// All attributes by their names, inherited ones included. Makes a dictionary: to find one attribute,
    /// use ``attribute(named:)``.
    public var attributesByName: [String: Attribute] {
        Dictionary(attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// All relationships by their names, inherited ones included. Makes a dictionary: to find one
    /// relationship, use ``relationship(named:)``.
    public var relationshipsByName: [String: Relationship] {
        Dictionary(relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Direct subentities by their names.
    public var subentitiesByName: [String: Entity] {
        Dictionary(subentities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The name of the class of the entity's objects. `nil` if the model names no class.
    public var managedObjectClassName: String? { description.managedObjectClassName }
    /// What the author of the model wrote beside the entity.
    public var userInfo: [String: String] { description.userInfo }
}

extension Relationship {
    /// The same as ``destination``, by Core Data's name.
    public var destinationEntity: Entity { destination }
    /// The same as ``inverse``, by Core Data's name.
    public var inverseRelationship: Relationship? { inverse }
}
