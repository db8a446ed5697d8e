/// The description of a property of an entity.
public enum PropertyDescription: Sendable, Hashable {
    /// A property that holds a value.
    case attribute(AttributeDescription)
    /// A property that refers to other objects.
    case relationship(RelationshipDescription)
    /// A property whose value is the result of a fetch. Stores do not save it.
    case fetchedProperty(FetchedPropertyDescription)

    /// The name of the attribute, relationship or fetched property, which is unique among the entity's
    /// properties, including inherited ones.
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        case .fetchedProperty(let fetchedProperty): fetchedProperty.name
        }
    }
}
