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
