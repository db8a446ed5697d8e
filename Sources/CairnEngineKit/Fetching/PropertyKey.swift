import CairnModel

/// Identifies a property by its declaring entity and its name. Properties of equal models are
/// therefore equal.
package struct PropertyKey: Hashable, Sendable {
    private let entity: EntityNumber
    private let name: String

    package init(_ attribute: Attribute) {
        entity = attribute.entity.number
        name = attribute.name
    }

    package init(_ relationship: Relationship) {
        entity = relationship.entity.number
        name = relationship.name
    }
}
