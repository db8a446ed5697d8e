/// A property of an entity of a compiled model.
public enum Property: Sendable, Hashable {
    case attribute(Attribute)
    case relationship(Relationship)
    case fetchedProperty(FetchedProperty)

    /// As declared; unique among all properties of the entity, inherited ones included.
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        case .fetchedProperty(let fetchedProperty): fetchedProperty.description.name
        }
    }
    /// Where the value is kept.
    public var storage: PropertyStorage {
        switch self {
        case .attribute(let attribute): attribute.storage
        case .relationship(let relationship): relationship.storage
        case .fetchedProperty: .none
        }
    }
}

/// An attribute of a compiled model. A handle, as ``Entity`` is.
public struct Attribute: Sendable {
    /// The entity that declares it; subentities share it.
    public let entity: Entity
    let index: Int
    /// As its author declared it.
    public let description: AttributeDescription

    /// As declared; unique among all properties of the entity, inherited ones included.
    public var name: String { description.name }
    /// What values the attribute takes.
    public var type: AttributeType { description.type }
    /// Whether nil passes validation.
    public var isOptional: Bool { description.isOptional }
    /// Whether the value lives in memory only, so that no store and no predicate of a store sees
    /// it.
    public var isTransient: Bool { description.isTransient }
    /// Whether the store computes the value at each save; what is set before is overwritten.
    public var isDerived: Bool { description.derivation != nil }
    /// Where the value is kept.
    public var storage: PropertyStorage { entity.record.storage[index] }
    /// The slot of the packed row; nil for a transient attribute.
    public var rowSlot: Int? { storage.rowSlot }
    /// The elements of a composite attribute; nil for any other.
    public var composite: CompositeDescription? {
        description.compositeName.flatMap { entity.model.composite(named: $0) }
    }
}

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
    /// The slot of the packed row; nil for a to-many or transient relationship.
    public var rowSlot: Int? { storage.rowSlot }
}

/// A fetched property of a compiled model. A handle, as ``Entity`` is.
public struct FetchedProperty: Sendable {
    /// The entity that declares it; subentities share it.
    public let entity: Entity
    let index: Int
    /// As its author declared it.
    public let description: FetchedPropertyDescription
}

extension PropertyStorage {
    /// The slot of the packed row. `nil` if the value is not kept there.
    public var rowSlot: Int? {
        if case .row(let slot) = self { slot } else { nil }
    }
    /// The slot that only the object has. `nil` if the value is not kept there.
    public var objectSlot: Int? {
        if case .object(let slot) = self { slot } else { nil }
    }
}

extension Attribute: Hashable {
    /// Whether both are one attribute of one compiled model; reading it from a subentity makes no
    /// difference.
    public static func == (left: Self, right: Self) -> Bool {
        left.index == right.index && left.entity == right.entity
    }
    /// Hashes the declaring entity and the place in it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(index)
    }
}

extension Relationship: Hashable {
    /// Whether both are one relationship of one compiled model; reading it from a subentity makes
    /// no difference.
    public static func == (left: Self, right: Self) -> Bool {
        left.index == right.index && left.entity == right.entity
    }
    /// Hashes the declaring entity and the place in it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(index)
    }
}

extension FetchedProperty: Hashable {
    /// Whether both are one fetched property of one compiled model.
    public static func == (left: Self, right: Self) -> Bool {
        left.index == right.index && left.entity == right.entity
    }
    /// Hashes the declaring entity and the place in it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(index)
    }
}
