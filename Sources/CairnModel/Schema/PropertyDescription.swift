/// A property of an entity as its author declares it.
public enum PropertyDescription: Sendable, Hashable {
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription)
    case fetchedProperty(FetchedPropertyDescription)

    /// The name by which objects know the property.
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        case .fetchedProperty(let fetchedProperty): fetchedProperty.name
        }
    }
}

/// A property whose value is the result of a fetch.
public struct FetchedPropertyDescription: Sendable, Hashable {
    public var name: String
    /// Run with `FETCH_SOURCE` bound to the owner.
    public var template: FetchRequestTemplate
    public var isOptional = true
    public var userInfo: [String: String] = [:]
    public var renamingIdentifier: String?

    public init(_ name: String, _ template: FetchRequestTemplate) {
        self.name = name
        self.template = template
    }
}
