import CairnModel

/// A pair of a many-to-many relationship, or a member of an ordered one-to-many relationship with
/// its order key.
package struct StoredPair: Sendable, Hashable {
    package let owner: Int64
    package let member: Int64
    /// The order key of the member among the owner's members, or `nil` if it has no order key.
    package let orderKey: Int64?
    /// The order key of the owner among the member's owners, or `nil` if it has no order key.
    package let inverseOrderKey: Int64?

    package init(owner: Int64, member: Int64, orderKey: Int64?, inverseOrderKey: Int64? = nil) {
        self.owner = owner
        self.member = member
        self.orderKey = orderKey
        self.inverseOrderKey = inverseOrderKey
    }
}
