/// A relationship of a compiled model. Like ``Entity``, it is a handle that is cheap to copy.
public struct Relationship: Sendable {
    /// The entity that declares the relationship. Subentities inherit the relationship from it.
    public let entity: Entity
    let index: Int
    /// The description from which the relationship was compiled.
    public let description: RelationshipDescription

    /// The name, which is unique among all properties of the entity, including inherited ones.
    public var name: String { description.name }
    /// Whether the relationship may have more than one destination.
    public var isToMany: Bool { description.isToMany }
    /// Whether the members of a to-many are ordered. `false` for a to-one.
    public var isOrdered: Bool { description.isOrdered }
    /// Whether a relationship without a destination passes validation.
    public var isOptional: Bool { description.isOptional }
    /// Whether the destinations exist only in memory and are never saved.
    public var isTransient: Bool { description.isTransient }
    /// The effect on the destinations when the object that has the relationship is deleted.
    public var deleteRule: DeleteRule { description.deleteRule }
    /// The declared entity of the destinations. A destination may be an object of a subentity.
    public var destination: Entity {
        // The entity always exists, because compiling refuses a model with an unknown destination.
        entity.model.entity(named: description.destination) ?? entity
    }
    /// The relationship that leads back, or `nil` if there is no inverse.
    public var inverse: Relationship? {
        description.inverse.flatMap { destination.relationship(named: $0) }
    }
    /// Whether both ends are to-many, or the relationship is a to-many without an inverse. Such a
    /// relationship is stored as pairs of objects.
    package var isManyToMany: Bool { isToMany && (inverse?.isToMany ?? true) }
    /// The slot in which the value is stored.
    package var storage: PropertyStorage { entity.record.storage[index] }
    /// The slot in the packed row, or `nil` for a to-many or transient relationship.
    package var rowSlot: Int? { storage.rowSlot }
}

extension Relationship: Hashable {
    /// Returns whether both are the same relationship of the same compiled model, even if they were obtained
    /// from different subentities.
    public static func == (left: Self, right: Self) -> Bool {
        left.index == right.index && left.entity == right.entity
    }
    /// Hashes the declaring entity and the relationship's index within it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(index)
    }
}
