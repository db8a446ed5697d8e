import CairnModel
import CairnStore

/// A pair of a many-to-many, or the place of a member among those of its owner.
package struct PairPlace: Sendable, Hashable {
    package let owner: Int64
    package let member: Int64
    /// Where the member stands among the owner's. `nil` means that it has no place.
    package let orderKey: Int64?
    /// Where the owner stands among the member's. `nil` means that it has no place.
    package let inverseOrderKey: Int64?

    package init(owner: Int64, member: Int64, orderKey: Int64?, inverseOrderKey: Int64? = nil) {
        self.owner = owner
        self.member = member
        self.orderKey = orderKey
        self.inverseOrderKey = inverseOrderKey
    }
}
