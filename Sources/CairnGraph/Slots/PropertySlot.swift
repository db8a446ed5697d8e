import CairnModel
import CairnStore

/// Where an object has the value of a property.
enum PropertySlot: Hashable, Sendable {
    case row(RowSlot)
    case object(ObjectSlot)
    /// Nowhere: a fetched property.
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

    /// `nil` for a property that rows do not hold.
    var rowSlot: RowSlot? { if case .row(let slot) = self { slot } else { nil } }
    /// `nil` for a property that rows hold, and for a fetched one.
    var objectSlot: ObjectSlot? { if case .object(let slot) = self { slot } else { nil } }
}
