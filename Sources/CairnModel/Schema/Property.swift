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
