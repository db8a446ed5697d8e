import CairnModel

/// A change to a pair of objects that a row's to-one does not express.
///
/// Changes of a many-to-many pair come from the side whose ``Relationship/ownsPairs`` is true. In
/// an ordered one-to-many, the member's row alone says which owner the member belongs to: a change
/// only sets the member's order key, and has no effect if the row names another owner. Pairs of a
/// deleted object are not listed: the store removes them with the row.
///
/// Order keys are any 64-bit integers. Members with equal order keys come by key. A member without
/// an order key comes after those that have one.
public struct PairChange: Sendable, Hashable {
    /// What happens to the pair.
    public enum Kind: Sendable, Hashable {
        /// Adds the pair. A pair that exists already stays, and takes the order keys that are given.
        case insert
        /// Removes the pair. Has no effect if the pair does not exist. In an ordered one-to-many,
        /// removes the member's order key.
        case delete
        /// Gives the pair the order keys that are not `nil`. Has no effect if the pair does not
        /// exist.
        case reorder
    }

    /// What happens to the pair.
    public var kind: Kind
    /// The to-many that leads from the owner to the member.
    public var relationship: Relationship
    /// The object at the near end, permanent.
    public var owner: ObjectID
    /// The object at the far end, permanent.
    public var member: ObjectID
    /// The position of the member among the owner's members. `nil` leaves the order as it is, and is
    /// the only value if the relationship has no order.
    public var orderKey: Int64?
    /// The position of the owner among the member's owners. `nil` leaves the order as it is, and is
    /// the only value if the inverse has no order.
    public var inverseOrderKey: Int64?

    /// Creates a change of one pair.
    public init(
        _ kind: Kind, _ relationship: Relationship, owner: ObjectID, member: ObjectID,
        orderKey: Int64? = nil, inverseOrderKey: Int64? = nil
    ) {
        self.kind = kind
        self.relationship = relationship
        self.owner = owner
        self.member = member
        self.orderKey = orderKey
        self.inverseOrderKey = inverseOrderKey
    }
}
