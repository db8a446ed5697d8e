import Foundation

/// An entity of a compiled model.
///
/// An entity is a handle that is cheap to copy and keeps its model alive. Two handles are equal if they
/// have the same model and number.
public struct Entity: Sendable {
    /// The compiled model that the entity belongs to.
    public let model: ManagedObjectModel
    /// The entity's number in the model, counted from 1. It is meaningless in any other model, including
    /// other versions of this model.
    public let number: EntityNumber

    var record: EntityRecord { model.records[Int(number.rawValue) - 1] }

    /// The name, which is case-sensitive and unique in the model.
    public var name: String { record.description.name }
    /// The description from which the entity was compiled, with the properties sorted by name.
    public var description: EntityDescription { record.description }
    /// Whether only subentities can have objects.
    public var isAbstract: Bool { record.description.isAbstract }
    /// The entity that this entity inherits from directly, or `nil` for a root entity.
    public var superentity: Entity? {
        record.superentity.map { Entity(model: model, number: $0) }
    }
    /// The root of the inheritance hierarchy. For an entity without a superentity, this is the entity itself.
    public var rootEntity: Entity { Entity(model: model, number: record.root) }
    /// The direct subentities, in the order of their numbers.
    public var subentities: [Entity] {
        record.subentities.map { Entity(model: model, number: $0) }
    }
    /// The numbers of the entity and of all its direct and indirect subentities. They are consecutive.
    package var hierarchyNumbers: Range<EntityNumber> { number..<record.end }
    /// The entity and all its direct and indirect subentities, in the order of their numbers.
    public var hierarchy: [Entity] {
        (number.rawValue..<record.end.rawValue).map {
            Entity(model: model, number: EntityNumber($0))
        }
    }
    /// The hash that identifies the entity's version in stores.
    public var versionHash: VersionHash { record.versionHash }
    /// Whether ``versionHash`` is the hash that Core Data computes. It is not if the entity has a derived
    /// attribute or a composite, which may be inherited, and no recorded hash was given: the formula for such
    /// entities is not known.
    package var isVersionHashExact: Bool { record.isVersionHashExact }
    /// The name by which a migration finds the entity in the previous version: the renaming identifier, or
    /// the entity's own name if there is no renaming identifier.
    package var renamingIdentifier: String { record.description.renamingIdentifier ?? name }

    /// The number of slots in the packed row, including those of inherited properties.
    package var rowSlotCount: Int { record.rowSlotCount }
    /// Whether one of ``attributes`` is derived. Determined when the model is compiled.
    package var hasDerivedAttributes: Bool { record.hasDerivedAttributes }
    /// The number of slots that exist only in objects, including those of inherited properties.
    package var objectSlotCount: Int { record.objectSlotCount }

    /// Returns whether this entity is the other entity or a direct or indirect subentity of it.
    public func isKind(of other: Entity) -> Bool {
        model === other.model && other.hierarchyNumbers.contains(number)
    }

    /// All properties: first those of the superentity, then the entity's own, sorted by the UTF-8 bytes of
    /// their names.
    public var properties: [Property] {
        (superentity?.properties ?? []) + ownProperties
    }
    /// The properties that the entity itself declares, sorted by the UTF-8 bytes of their names.
    package var ownProperties: [Property] {
        record.properties.indices.map { property(at: (entity: number, index: $0)) }
    }
    /// All attributes, in the order of ``properties``.
    public var attributes: [Attribute] {
        properties.compactMap { if case .attribute(let it) = $0 { it } else { nil } }
    }
    /// All relationships, in the order of ``properties``.
    public var relationships: [Relationship] {
        properties.compactMap { if case .relationship(let it) = $0 { it } else { nil } }
    }
    /// The uniqueness constraints: first the inherited ones, then the entity's own.
    public var uniquenessConstraints: [[String]] {
        (superentity?.uniquenessConstraints ?? []) + record.description.uniquenessConstraints
    }

    /// Returns the property with this name, which may be inherited, or `nil` if there is no such property.
    public func property(named name: String) -> Property? {
        record.declarations[name].map(property(at:))
    }
    /// Returns the attribute with this name, or `nil` if there is no such attribute.
    public func attribute(named name: String) -> Attribute? {
        if case .attribute(let attribute)? = property(named: name) { attribute } else { nil }
    }
    /// Returns the relationship with this name, or `nil` if there is no such relationship.
    public func relationship(named name: String) -> Relationship? {
        if case .relationship(let it)? = property(named: name) { it } else { nil }
    }

    private func property(at declaration: EntityRecord.Declaration) -> Property {
        let entity = Entity(model: model, number: declaration.entity)
        return switch entity.record.properties[declaration.index] {
        case .attribute(let shared):
            .attribute(Attribute(entity: entity, index: declaration.index, shared: shared))
        case .relationship(let shared):
            .relationship(Relationship(entity: entity, index: declaration.index, shared: shared))
        case .fetchedProperty(let shared):
            .fetchedProperty(
                FetchedProperty(entity: entity, index: declaration.index, shared: shared))
        }
    }
}

extension Entity: Hashable {
    /// Returns whether both are the same entity of the same compiled model. Models that are compiled
    /// separately have different entities, even if their descriptions are equal.
    public static func == (left: Entity, right: Entity) -> Bool {
        left.number == right.number && left.model === right.model
    }
    /// Hashes only the number, which is enough because a program uses only a few models at a time.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
    }
}

/// The compiled data of an entity, which is accessed through ``Entity``.
struct EntityRecord: Sendable {
    /// The description, with the entity's own properties sorted by the UTF-8 bytes of their names.
    var description: EntityDescription
    var number: EntityNumber
    var superentity: EntityNumber?
    var root: EntityNumber
    /// The direct subentities, in the order of their numbers.
    var subentities: [EntityNumber] = []
    /// The number after that of the last subentity. The hierarchy is `number..<end`.
    var end: EntityNumber
    /// The own properties, in the order of `description.properties`.
    var properties: [SharedProperty] = []
    /// The storage of each own property, in that order.
    var storage: [PropertyStorage] = []
    /// The numbers of row slots and object slots, including those of inherited properties.
    var rowSlotCount = 0
    var objectSlotCount = 0
    /// Whether one of the attributes, including inherited ones, is derived.
    var hasDerivedAttributes = false
    /// Whether one of the attributes, including inherited ones, is derived or a composite, so that the formula
    /// of the version hash is not known.
    var hasUnprovenHash = false
    /// The declaration of each property by name, including inherited properties.
    var declarations: [String: Declaration] = [:]
    /// The entity that declares a property, and the index among that entity's own properties.
    typealias Declaration = (entity: EntityNumber, index: Int)
    var versionHash = VersionHash([])
    var isVersionHashExact = true
}

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
