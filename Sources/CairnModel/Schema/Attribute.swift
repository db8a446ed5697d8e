/// An attribute of a compiled model. Like ``Entity``, it is a handle that is cheap to copy.
public struct Attribute: Sendable {
    /// The entity that declares the attribute. Subentities inherit the attribute from it.
    public let entity: Entity
    let index: Int
    /// The description from which the attribute was compiled.
    public let description: AttributeDescription

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
