import CairnModel

/// A property and the slot of its value.
@usableFromInline package enum PropertyBinding {
    case attribute(AttributeBinding)
    case relationship(RelationshipBinding)
    /// Not a value of the object; fetched from the store each time.
    indirect case fetchedProperty(FetchedProperty)

    init(_ property: Property) {
        switch property {
        case .attribute(let attribute): self = .attribute(AttributeBinding(attribute))
        case .relationship(let relationship):
            self = .relationship(RelationshipBinding(relationship))
        case .fetchedProperty(let property): self = .fetchedProperty(property)
        }
    }
}
