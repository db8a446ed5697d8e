import CairnStore

/// The pairs of one many-to-many relationship, found from either side.
struct PairTable: Sendable {
    /// (owner, member) → where the member stands among the owner's. `nil` means that it has no place.
    private(set) var forward = SortedMap<KeyPair, Int64?>()
    /// (member, owner) → where the owner stands among the member's. `nil` means that it has no place.
    private(set) var backward = SortedMap<KeyPair, Int64?>()

    /// Adds a pair, or gives the one that is there the order keys that are not nil.
    mutating func insert(
        owner: Int64, member: Int64, orderKey: Int64?, inverseOrderKey: Int64?
    ) {
        Self.place(KeyPair(owner, member), orderKey, in: &forward)
        Self.place(KeyPair(member, owner), inverseOrderKey, in: &backward)
    }

    /// Gives a pair the order keys that are not nil; nothing where it is not there.
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

    private static func place(
        _ pair: KeyPair, _ orderKey: Int64?, in map: inout SortedMap<KeyPair, Int64?>
    ) {
        if orderKey == nil, map[pair] != nil { return }
        map.set(orderKey, for: pair)
    }
}
