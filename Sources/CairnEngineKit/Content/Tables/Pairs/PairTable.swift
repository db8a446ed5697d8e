import CairnModel
import CairnRows

/// The pairs of one many-to-many relationship, accessible from either side.
struct PairTable: Sendable {
    /// The order key of the member among the owner's members, by (owner, member). `nil` if the member has no
    /// order key.
    private(set) var forward = SortedMap<KeyPair, Int64?>()
    /// The order key of the owner among the member's owners, by (member, owner). `nil` if the owner has no
    /// order key.
    private(set) var backward = SortedMap<KeyPair, Int64?>()

    /// Adds a pair. If the pair already exists, replaces those of its order keys whose new value is not
    /// `nil`.
    mutating func insert(
        owner: Int64, member: Int64, orderKey: Int64?, inverseOrderKey: Int64?
    ) {
        Self.insert(KeyPair(owner, member), orderKey, into: &forward)
        Self.insert(KeyPair(member, owner), inverseOrderKey, into: &backward)
    }

    /// Replaces those order keys of a pair whose new value is not `nil`. Has no effect if the pair does not
    /// exist.
    mutating func reorder(
        owner: Int64, member: Int64, orderKey: Int64?, inverseOrderKey: Int64?
    ) {
        guard forward[KeyPair(owner, member)] != nil else { return }
        insert(owner: owner, member: member, orderKey: orderKey, inverseOrderKey: inverseOrderKey)
    }

    mutating func delete(owner: Int64, member: Int64) {
        forward.removeValue(for: KeyPair(owner, member))
        backward.removeValue(for: KeyPair(member, owner))
    }

    /// Removes all pairs of an owner.
    mutating func removeOwner(_ owner: Int64) {
        var members: [Int64] = []
        forward.forEach(beginningWith: owner) { member, _ in members.append(member) }
        for member in members { delete(owner: owner, member: member) }
    }

    /// Removes all pairs of a member.
    mutating func removeMember(_ member: Int64) {
        var owners: [Int64] = []
        backward.forEach(beginningWith: member) { owner, _ in owners.append(owner) }
        for owner in owners { delete(owner: owner, member: member) }
    }

    private static func insert(
        _ pair: KeyPair, _ orderKey: Int64?, into map: inout SortedMap<KeyPair, Int64?>
    ) {
        if orderKey == nil, map[pair] != nil { return }
        map.set(orderKey, for: pair)
    }
}

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

/// Two numbers, ordered by the first number and then by the second.
package struct KeyPair: Sendable, Hashable, Comparable {
    package var first: Int64
    package var second: Int64

    package init(_ first: Int64, _ second: Int64) {
        self.first = first
        self.second = second
    }

    package static func < (left: KeyPair, right: KeyPair) -> Bool {
        left.first != right.first ? left.first < right.first : left.second < right.second
    }
}

extension SortedMap where Key == KeyPair {
    /// Calls the body in order with each entry whose key begins with `first`.
    package func forEach(beginningWith first: Int64, _ body: (Int64, Value) -> Void) {
        forEach(from: KeyPair(first, .min)) { key, value in
            guard key.first == first else { return false }
            body(key.second, value)
            return true
        }
    }
}
