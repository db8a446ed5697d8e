import CairnModel
import CairnStack

/// The location of a property's value in an object.
enum PropertySlot: Hashable, Sendable {
    case row(RowSlot)
    case object(ObjectSlot)
    /// The object has no value, because the property is a fetched property.
    case none

    init(of property: Property) { self.init(property.storage) }
    init(of attribute: Attribute) { self.init(attribute.storage) }
    init(of relationship: Relationship) { self.init(relationship.storage) }

    private init(_ storage: PropertyStorage) {
        self =
            switch storage {
            case .row(let slot): .row(RowSlot(slot))
            case .object(let slot): .object(ObjectSlot(slot))
            case .none: .none
            }
    }

    /// The row slot, or `nil` if rows do not hold the property.
    var rowSlot: RowSlot? { if case .row(let slot) = self { slot } else { nil } }
    /// The object slot, or `nil` if rows hold the property or it is a fetched property.
    var objectSlot: ObjectSlot? { if case .object(let slot) = self { slot } else { nil } }
}
