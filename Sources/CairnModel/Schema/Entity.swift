/// An entity of a compiled model.
///
/// A handle that is cheap to copy and keeps its model alive. Two handles are equal if their models and
/// numbers are.
public struct Entity: Sendable {
    /// The compiled model that the entity belongs to. The handle keeps it alive.
    public let model: ManagedObjectModel
    /// The entity's number in the model, from 1. It has no meaning in another model or in another
    /// version of this one.
    public let number: EntityNumber

    var record: EntityRecord { model.records[Int(number.rawValue) - 1] }

    /// The name, as declared. It is unique in the model, and case-sensitive.
    public var name: String { record.description.name }
    /// The description, as declared, with the properties sorted by name.
    public var description: EntityDescription { record.description }
    /// Whether only the entity's subentities can have objects.
    public var isAbstract: Bool { record.description.isAbstract }
    /// The entity that this one inherits from directly. `nil` for a root entity.
    public var superentity: Entity? {
        record.superentity.map { Entity(model: model, number: $0) }
    }
    /// The root of the entity's inheritance tree. This is the entity itself if it has no superentity.
    public var rootEntity: Entity { Entity(model: model, number: record.root) }
    /// The direct subentities, in the order of their numbers.
    public var subentities: [Entity] {
        record.subentities.map { Entity(model: model, number: $0) }
    }
    /// The numbers of the entity and of all entities below it. They are consecutive.
    public var hierarchyNumbers: Range<EntityNumber> { number..<record.end }
    /// The entity and all entities below it, in the order of their numbers.
    public var hierarchy: [Entity] {
        (number.rawValue..<record.end.rawValue).map {
            Entity(model: model, number: EntityNumber($0))
        }
    }
    /// The hash by which stores recognise the entity's version.
    public var versionHash: VersionHash { record.versionHash }
    /// Whether ``versionHash`` is the hash that Core Data computes. This is `false` if the entity has
    /// or inherits a derived attribute and no recorded hash was given, because the formula for such
    /// entities is not known.
    public var isVersionHashExact: Bool { record.isVersionHashExact }
    /// The name to map from when migrating: the renaming identifier, or its own name.
    public var renamingIdentifier: String { record.description.renamingIdentifier ?? name }

    /// Slots of the packed row, inherited ones included.
    public var rowSlotCount: Int { record.rowSlotCount }
    /// Whether one of ``attributes`` is derived. Was found out when the model was compiled.
    package var hasDerivedAttributes: Bool { record.hasDerivedAttributes }
    /// Slots that only objects have, inherited ones included.
    public var objectSlotCount: Int { record.objectSlotCount }

    /// Whether objects of this entity are objects of the other: itself or below it.
    public func isKind(of other: Entity) -> Bool {
        model === other.model && other.hierarchyNumbers.contains(number)
    }

    /// All properties: the superentity's first, then own ones by name in code units.
    public var properties: [Property] {
        (superentity?.properties ?? []) + ownProperties
    }
    /// The properties that the entity itself declares, by name in code units.
    public var ownProperties: [Property] {
        record.description.properties.indices.map { property(at: .init(entity: number, index: $0)) }
    }
    /// All attributes, in the order of ``properties``.
    public var attributes: [Attribute] {
        properties.compactMap { if case .attribute(let it) = $0 { it } else { nil } }
    }
    /// All relationships, in the order of ``properties``.
    public var relationships: [Relationship] {
        properties.compactMap { if case .relationship(let it) = $0 { it } else { nil } }
    }
    /// Own and inherited uniqueness constraints, the superentity's first.
    public var uniquenessConstraints: [[String]] {
        (superentity?.uniquenessConstraints ?? []) + record.description.uniquenessConstraints
    }

    /// Returns the property of that name, inherited ones included. Returns `nil` if there is none.
    public func property(named name: String) -> Property? {
        record.declarations[name].map(property(at:))
    }
    /// Returns the attribute of that name. Returns `nil` if there is none.
    public func attribute(named name: String) -> Attribute? {
        if case .attribute(let attribute)? = property(named: name) { attribute } else { nil }
    }
    /// Returns the relationship of that name. Returns `nil` if there is none.
    public func relationship(named name: String) -> Relationship? {
        if case .relationship(let it)? = property(named: name) { it } else { nil }
    }

    private func property(at declaration: PropertyDeclaration) -> Property {
        let entity = Entity(model: model, number: declaration.entity)
        return switch entity.record.description.properties[declaration.index] {
        case .attribute(let description):
            .attribute(
                Attribute(entity: entity, index: declaration.index, description: description))
        case .relationship(let description):
            .relationship(
                Relationship(entity: entity, index: declaration.index, description: description))
        case .fetchedProperty(let description):
            .fetchedProperty(
                FetchedProperty(entity: entity, index: declaration.index, description: description))
        }
    }
}

extension Entity: Hashable {
    /// Whether both are one entity of one compiled model. Two models compiled from equal
    /// descriptions have different entities.
    public static func == (left: Entity, right: Entity) -> Bool {
        left.number == right.number && left.model === right.model
    }
    /// Hashes the number alone: programs hold few models at a time.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
    }
}
