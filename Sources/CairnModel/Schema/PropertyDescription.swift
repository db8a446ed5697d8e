/// The description of a property of an entity.
public enum PropertyDescription: Sendable, Hashable {
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription)
    case fetchedProperty(FetchedPropertyDescription)

    /// The name of the property.
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        case .fetchedProperty(let fetchedProperty): fetchedProperty.name
        }
    }
}
