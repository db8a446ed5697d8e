import CairnModel

/// A property by where its value is.
enum PropertyBinding {
    case attribute(AttributeBinding)
    case relationship(RelationshipBinding)
    /// Not a value of the object: asks the store each time.
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

/// An attribute by where its value is.
final class AttributeBinding {
    let attribute: Attribute
    let name: String
    let type: AttributeType
    let storage: PropertySlot
    /// Whether the value is bytes that a transformer makes and reads.
    let isTransformable: Bool

    init(_ attribute: Attribute) {
        self.attribute = attribute
        name = attribute.name
        type = attribute.type
        storage = PropertySlot(of: attribute)
        isTransformable = attribute.type == .transformable
    }
}

/// A relationship by where its value is, here and at the other end.
///
/// Slot numbers of a property are the same in all subentities, so one binding serves for every
/// object at either end.
final class RelationshipBinding {
    let relationship: Relationship
    let name: String
    let storage: PropertySlot
    let isToMany: Bool
    let isOrdered: Bool
    let isTransient: Bool
    let deleteRule: DeleteRule
    /// Whether membership is in pairs, not in the members' rows.
    let isManyToMany: Bool
    /// The entities whose objects it may lead to.
    let destinationNumbers: Range<EntityNumber>
    /// nil where nothing leads back.
    private(set) lazy var inverse = relationship.inverse.map(RelationshipBinding.init)

    init(_ relationship: Relationship) {
        self.relationship = relationship
        name = relationship.name
        storage = PropertySlot(of: relationship)
        isToMany = relationship.isToMany
        isOrdered = relationship.isOrdered
        isTransient = relationship.isTransient
        deleteRule = relationship.deleteRule
        isManyToMany = relationship.isManyToMany
        destinationNumbers = relationship.destination.hierarchyNumbers
    }
}
