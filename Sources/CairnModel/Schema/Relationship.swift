/// A relationship of a compiled model. A handle, as ``Entity`` is.
public struct Relationship: Sendable {
    /// The entity that declares it; subentities share it.
    public let entity: Entity
    let index: Int
    /// As its author declared it.
    public let description: RelationshipDescription

    /// As declared; unique among all properties of the entity, inherited ones included.
    public var name: String { description.name }
    /// Whether there may be more than one destination.
    public var isToMany: Bool { description.isToMany }
    /// Whether the members of a to-many keep an order of their own; false for a to-one.
    public var isOrdered: Bool { description.isOrdered }
    /// Whether having no destination passes validation.
    public var isOptional: Bool { description.isOptional }
    /// Whether the destinations live in memory only and never reach a store.
    public var isTransient: Bool { description.isTransient }
    /// What happens to the destinations when the owner is deleted.
    public var deleteRule: DeleteRule { description.deleteRule }
    /// The declared entity at the other end; the object there may be of a subentity.
    public var destination: Entity {
        // The compiler refused a model in which this name leads nowhere.
        entity.model.entity(named: description.destination) ?? entity
    }
    /// The relationship that leads back. `nil` if there is none.
    public var inverse: Relationship? {
        description.inverse.flatMap { destination.relationship(named: $0) }
    }
    /// Whether both ends are to-many, or the only end is: membership then needs pairs of its own.
    public var isManyToMany: Bool { isToMany && (inverse?.isToMany ?? true) }
    /// Where the value is kept.
    public var storage: PropertyStorage { entity.record.storage[index] }
    /// The slot of the packed row. `nil` for a to-many or transient relationship.
    public var rowSlot: Int? { storage.rowSlot }
}

extension Relationship: Hashable {
    /// Whether both are the same relationship of the same compiled model, even if they were read from
    /// different subentities.
    public static func == (left: Self, right: Self) -> Bool {
        left.index == right.index && left.entity == right.entity
    }
    /// Hashes the declaring entity and the index in it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(index)
    }
}
