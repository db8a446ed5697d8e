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
    /// The slot of the packed row. `nil` for a transient attribute.
    public var rowSlot: Int? { storage.rowSlot }
    /// The description of a composite attribute's elements. `nil` for any other attribute.
    public var composite: CompositeDescription? {
        description.compositeName.flatMap { entity.model.composite(named: $0) }
    }
}

extension Attribute: Hashable {
    /// Whether both are the same attribute of the same compiled model, even if they were read from
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
