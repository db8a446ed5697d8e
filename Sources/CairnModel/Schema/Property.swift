/// A property of an entity of a compiled model.
public enum Property: Sendable, Hashable {
    /// A property that holds a value.
    case attribute(Attribute)
    /// A property that refers to other objects.
    case relationship(Relationship)
    /// A property whose value is the result of a fetch. Stores do not save it.
    case fetchedProperty(FetchedProperty)

    /// The name, which is unique among all properties of the entity, including inherited ones.
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        case .fetchedProperty(let fetchedProperty): fetchedProperty.description.name
        }
    }
    /// The slot in which the value is stored.
    package var storage: PropertyStorage {
        switch self {
        case .attribute(let attribute): attribute.storage
        case .relationship(let relationship): relationship.storage
        case .fetchedProperty: .none
        }
    }
}

/// A property's description in an object of its own. A copy of the property then counts one reference more than that
/// of the model, and not one for each part of the description.
@usableFromInline final class SharedDescription<Description: Sendable>: Sendable {
    @usableFromInline let value: Description

    init(_ value: Description) { self.value = value }
}

/// The description of a property of any kind, as an entity's record keeps it for all handles.
enum SharedProperty: Sendable {
    case attribute(SharedDescription<AttributeDescription>)
    case relationship(SharedDescription<RelationshipDescription>)
    case fetchedProperty(SharedDescription<FetchedPropertyDescription>)

    init(_ description: PropertyDescription) {
        switch description {
        case .attribute(let it): self = .attribute(SharedDescription(it))
        case .relationship(let it): self = .relationship(SharedDescription(it))
        case .fetchedProperty(let it): self = .fetchedProperty(SharedDescription(it))
        }
    }
}

extension PropertyStorage {
    /// The slot in the packed row, or `nil` if the value is not stored there.
    package var rowSlot: Int? {
        if case .row(let slot) = self { slot } else { nil }
    }
    /// The slot in the object, or `nil` if the value is not stored there.
    package var objectSlot: Int? {
        if case .object(let slot) = self { slot } else { nil }
    }
}

/// An attribute of a compiled model. Like ``Entity``, it is a handle that is cheap to copy.
public struct Attribute: Sendable {
    /// The entity that declares the attribute. Subentities inherit the attribute from it.
    public let entity: Entity
    let index: Int
    @usableFromInline let shared: SharedDescription<AttributeDescription>
    /// The description from which the attribute was compiled.
    @inlinable public var description: AttributeDescription { shared.value }

    /// The name, which is unique among all properties of the entity, including inherited ones.
    public var name: String { description.name }
    /// The type of the attribute's values.
    public var type: AttributeType { description.type }
    /// Whether `nil` passes validation.
    public var isOptional: Bool { description.isOptional }
    /// Whether the value exists only in memory, so that stores do not save it and fetches cannot use it in
    /// predicates.
    public var isTransient: Bool { description.isTransient }
    /// Whether the store computes the value in each save. Values that are set before the save are
    /// overwritten.
    package var isDerived: Bool { description.derivation != nil }
    /// The slot in which the value is stored.
    package var storage: PropertyStorage { entity.record.storage[index] }
    /// The slot in the packed row, or `nil` for a transient attribute.
    package var rowSlot: Int? { storage.rowSlot }
    /// The elements of a composite attribute, or `nil` for any other attribute.
    public var composite: CompositeDescription? {
        description.compositeName.flatMap { entity.model.composite(named: $0) }
    }
}

/// What a reference leads to, which may be in another store.
package struct ReferenceTarget: Sendable, Hashable {
    /// The entity of the objects. An object may also belong to a subentity.
    package let entity: Entity
    /// The attribute whose values are the keys, or `nil` if the URIs of the objects are the keys.
    package let key: Attribute?
}

extension Attribute {
    /// What the attribute's values are keys of, or `nil` if the attribute is no reference.
    package var reference: ReferenceTarget? {
        // The names are known, because compiling refuses a model with an unknown target.
        guard let (name, key) = description.referenceNames,
            let target = entity.model.entity(named: name)
        else { return nil }
        return ReferenceTarget(entity: target, key: key.flatMap(target.attribute(named:)))
    }
}

extension Attribute: Hashable {
    /// Returns whether both are the same attribute of the same compiled model, even if they were obtained
    /// from different subentities.
    public static func == (left: Self, right: Self) -> Bool {
        left.index == right.index && left.entity == right.entity
    }
    /// Hashes the declaring entity and the attribute's index within it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(index)
    }
}

/// A relationship of a compiled model. Like ``Entity``, it is a handle that is cheap to copy.
public struct Relationship: Sendable {
    /// The entity that declares the relationship. Subentities inherit the relationship from it.
    public let entity: Entity
    let index: Int
    @usableFromInline let shared: SharedDescription<RelationshipDescription>
    /// The description from which the relationship was compiled.
    @inlinable public var description: RelationshipDescription { shared.value }

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

/// A fetched property of a compiled model. Like ``Entity``, it is a handle that is cheap to copy.
public struct FetchedProperty: Sendable {
    /// The entity that declares the fetched property. Subentities inherit it.
    public let entity: Entity
    let index: Int
    @usableFromInline let shared: SharedDescription<FetchedPropertyDescription>
    /// The description from which the fetched property was compiled.
    @inlinable public var description: FetchedPropertyDescription { shared.value }
}

extension FetchedProperty: Hashable {
    /// Returns whether both are the same fetched property of the same compiled model.
    public static func == (left: Self, right: Self) -> Bool {
        left.index == right.index && left.entity == right.entity
    }
    /// Hashes the declaring entity and the fetched property's index within it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(index)
    }
}

/// The slot in which the value of a property is stored.
///
/// An inherited property has the same slot in every subentity. The superentity's slots come first. They
/// are followed by those of the entity's own properties, sorted by the UTF-8 bytes of their names.
package enum PropertyStorage: Sendable, Hashable {
    /// A slot in the packed row, for persistent attributes and to-one relationships.
    case row(slot: Int)
    /// A slot that exists only in the object, for to-many relationships and transient properties.
    case object(slot: Int)
    /// No slot, for fetched properties.
    case none
}
