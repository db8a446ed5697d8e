import CairnModel
import CairnStore

/// Where pairs of one relationship of a new model are found in a store of the old model.
struct PairSource {
    /// How the position of a member is found.
    enum Order {
        /// The relationship has no order.
        case none
        /// The old store has the order, seen from the side that is read.
        case kept
        /// The old store has no order: members are in the order of their keys.
        case byKey
        /// Another source says it.
        case later
    }

    /// The relationship of the new model that is told of the pairs.
    let told: Relationship
    /// The relationship of the old model that is read.
    let read: Relationship
    /// Whether ``read`` is the far side of ``told``: its objects are the members.
    let isReversed: Bool
    /// The order of the members of ``told``.
    let order: Order
    /// The order of the members of its inverse.
    let inverseOrder: Order
    /// Whether the pairs are there already, and only get positions.
    let isReordering: Bool
    /// The entities of the owners and of the members in the new model. Looked up once, not per pair.
    let owners: Range<EntityNumber>
    let members: Range<EntityNumber>

    init(
        told: Relationship, reading read: Relationship, isReversed: Bool, order: Order,
        inverseOrder: Order, isReordering: Bool = false
    ) {
        self.told = told
        self.read = read
        self.isReversed = isReversed
        self.order = order
        self.inverseOrder = inverseOrder
        self.isReordering = isReordering
        owners = told.entity.hierarchyNumbers
        members = told.destination.hierarchyNumbers
    }
}
