import CairnModel

/// The source, in a store of the old model, of the pairs of one relationship of the new model.
struct PairSource {
    /// How the position of a member is determined.
    enum Order {
        /// The relationship is not ordered.
        case none
        /// The old store contains the order, on the side that is read.
        case kept
        /// The old store contains no order, so members are ordered by key.
        case byKey
        /// Another source provides the position.
        case later
    }

    /// The relationship of the new model to which the pairs belong.
    let told: Relationship
    /// The relationship of the old model that is read.
    let read: Relationship
    /// Whether ``read`` corresponds to the inverse of ``told``, so that the objects that are read
    /// are the members.
    let isReversed: Bool
    /// How the order of the members of ``told`` is determined.
    let order: Order
    /// How the order of the members of the inverse is determined.
    let inverseOrder: Order
    /// Whether the pairs exist already and only get positions.
    let isReordering: Bool
    /// The entities of the owners and of the members in the new model. Stored, so that they are not
    /// looked up for each pair.
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
