import CairnModel

extension StoreTable {
    /// Returns the pairs of a many-to-many relationship, sorted by owner and then by member, or the
    /// members of an ordered one-to-many relationship with their order keys, sorted by member.
    ///
    /// The result is empty for a relationship that is stored in rows alone.
    package func pairs(of relationship: Relationship) -> [StoredPair] {
        switch schema.memberIndexes(of: relationship) {
        case .pairs(let table, let isForward, _): pairs(inTable: table, isForward: isForward)
        case .members(_, let order?): pairs(inOrder: order)
        case .members(_, nil), nil: []
        }
    }

    private func pairs(inTable number: Int, isForward: Bool) -> [StoredPair] {
        let table = pairTable(number)
        let (orderKeys, inverse) =
            isForward ? (table.forward, table.backward) : (table.backward, table.forward)
        var pairs: [StoredPair] = []
        pairs.reserveCapacity(orderKeys.count)
        var position = orderKeys.start
        while let (keys, orderKey) = orderKeys.next(&position) {
            pairs.append(
                StoredPair(
                    owner: keys.first, member: keys.second, orderKey: orderKey,
                    inverseOrderKey: inverse[KeyPair(keys.second, keys.first)] ?? nil))
        }
        return pairs
    }

    private func pairs(inOrder number: Int) -> [StoredPair] {
        let orders = memberOrder(number)
        var pairs: [StoredPair] = []
        pairs.reserveCapacity(orders.count)
        var position = orders.start
        while let (member, order) = orders.next(&position) {
            pairs.append(
                StoredPair(owner: order.owner, member: member, orderKey: order.orderKey))
        }
        return pairs
    }
}
