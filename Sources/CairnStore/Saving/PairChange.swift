import CairnModel

/// A change to a pair of related objects that no to-one relationship in a row expresses.
///
/// For a many-to-many relationship, changes are listed for the side whose
/// ``Relationship/ownsPairs`` is `true`. For an ordered one-to-many relationship, the member's row
/// alone determines its owner. A change then only sets the member's order key, and has no effect if
/// the row names another owner. Pairs of a deleted object are not listed, because the store removes
/// them together with the row.
///
/// Order keys are arbitrary 64-bit integers. Members with equal order keys are sorted by key.
/// Members without an order key come after all others.
public struct PairChange: Sendable, Hashable {
    /// What happens to the pair.
    public enum Kind: Sendable, Hashable {
        /// Adds the pair. If the pair exists already, it is kept and takes the given order keys.
        case insert
        /// Removes the pair. Has no effect if the pair does not exist. In an ordered one-to-many
        /// relationship, removes the member's order key.
        case delete
        /// Sets the order keys of the pair that are not `nil`. Has no effect if the pair does not
        /// exist.
        case reorder
    }

    /// What happens to the pair.
    public var kind: Kind
    /// The to-many relationship that leads from the owner to the member.
    public var relationship: Relationship
    /// The permanent ID of the object that the relationship starts from.
    public var owner: ObjectID
    /// The permanent ID of the object that the relationship leads to.
    public var member: ObjectID
    /// The position of the member among the owner's members. `nil` leaves the position unchanged.
    /// Must be `nil` if the relationship is not ordered.
    public var orderKey: Int64?
    /// The position of the owner among the member's owners. `nil` leaves the position unchanged.
    /// Must be `nil` if the inverse is not ordered.
    public var inverseOrderKey: Int64?

    /// Creates a change to one pair.
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
