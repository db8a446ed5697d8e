/// A property of an entity of a compiled model.
public enum Property: Sendable, Hashable {
    case attribute(Attribute)
    case relationship(Relationship)
    case fetchedProperty(FetchedProperty)

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

    public var name: String { description.name }
    public var type: AttributeType { description.type }
    public var isOptional: Bool { description.isOptional }
    public var isTransient: Bool { description.isTransient }
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

    public var name: String { description.name }
    public var isToMany: Bool { description.isToMany }
    public var isOrdered: Bool { description.isOrdered }
    public var isOptional: Bool { description.isOptional }
    public var isTransient: Bool { description.isTransient }
    public var deleteRule: DeleteRule { description.deleteRule }
    /// The declared entity at the other end; the object there may be of a subentity.
    public var destination: Entity {
        // The compiler refused a model in which this name leads nowhere.
        entity.model.entity(named: description.destination) ?? entity
    }
    /// The relationship that leads back; nil where there is none.
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
    /// The slot of the packed row; nil where the value is not kept there.
    public var rowSlot: Int? {
        if case .row(let slot) = self { slot } else { nil }
    }
    /// The slot that only the object has; nil where the value is not kept there.
    public var objectSlot: Int? {
        if case .object(let slot) = self { slot } else { nil }
    }
}

extension Attribute: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        left.index == right.index && left.entity == right.entity
    }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(index)
    }
}

extension Relationship: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        left.index == right.index && left.entity == right.entity
    }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(index)
    }
}

extension FetchedProperty: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        left.index == right.index && left.entity == right.entity
    }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(index)
    }
}
