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

/// An attribute and the slot of its value.
@usableFromInline package final class AttributeBinding {
    package let attribute: Attribute
    package let name: String
    package let type: AttributeType
    let storage: PropertySlot
    /// Whether the stored value is bytes that a transformer creates and reads.
    let isTransformable: Bool
    /// Whether the value is a composite with elements of which that is true.
    let hasTransformableElements: Bool
    /// Finds the object to which the attribute leads. `nil` if the attribute is no reference.
    let reference: ReferenceLookup?
    /// Whether the attribute takes any value of its type, and has the value that was set.
    let isPlain: Bool

    init(_ attribute: Attribute) {
        self.attribute = attribute
        name = attribute.name
        type = attribute.type
        storage = PropertySlot(of: attribute)
        isTransformable = attribute.type == .transformable
        reference = ReferenceLookup(attribute)
        hasTransformableElements =
            attribute.composite?.hasTransformableElements(in: attribute.entity.model) ?? false
        isPlain =
            type != .composite && !isTransformable && reference == nil && !attribute.isDerived
    }
}

/// A relationship and the slots of its value at both ends.
///
/// A property has the same slot in all subentities, so one binding applies to every object at either
/// end.
@usableFromInline package final class RelationshipBinding {
    package let relationship: Relationship
    package let name: String
    let storage: PropertySlot
    package let isToMany: Bool
    package let isOrdered: Bool
    let isTransient: Bool
    let deleteRule: DeleteRule
    /// Whether membership is stored in pairs instead of in the members' rows.
    let isManyToMany: Bool
    /// The entities whose objects the relationship may lead to.
    let destinationNumbers: Range<EntityNumber>
    /// The inverse, or `nil` if the relationship has none.
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
