import CairnModel

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

    init(_ attribute: Attribute) {
        self.attribute = attribute
        name = attribute.name
        type = attribute.type
        storage = PropertySlot(of: attribute)
        isTransformable = attribute.type == .transformable
        hasTransformableElements =
            attribute.composite?.hasTransformableElements(in: attribute.entity.model) ?? false
    }
}
