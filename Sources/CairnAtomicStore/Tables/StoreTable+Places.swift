import CairnModel
import CairnStore

extension StoreTable {
    /// Returns all that is known of a to-many beside the rows: the pairs of a many-to-many by
    /// owner, then member; the places in an ordered one-to-many by member.
    ///
    /// Empty for a relationship that rows hold alone.
    package func places(of relationship: Relationship) -> [PairPlace] {
        switch schema.place(of: relationship) {
        case .pairs(let table, let isForward, _): pairs(table, isForward: isForward)
        case .members(_, let order?): memberPlaces(order)
        case .members(_, nil), nil: []
        }
    }

    private func pairs(_ number: Int, isForward: Bool) -> [PairPlace] {
        let table = pairTable(number)
        let (pairs, inverse) =
            isForward ? (table.forward, table.backward) : (table.backward, table.forward)
        var places: [PairPlace] = []
        places.reserveCapacity(pairs.count)
        var position = pairs.start
        while let (pair, orderKey) = pairs.next(&position) {
            places.append(
                PairPlace(
                    owner: pair.first, member: pair.second, orderKey: orderKey,
                    inverseOrderKey: inverse[KeyPair(pair.second, pair.first)] ?? nil))
        }
        return places
    }

    private func memberPlaces(_ order: Int) -> [PairPlace] {
        let orders = memberOrder(order)
        var places: [PairPlace] = []
        places.reserveCapacity(orders.count)
        var position = orders.start
        while let (member, place) = orders.next(&position) {
            places.append(
                PairPlace(owner: place.owner, member: member, orderKey: place.orderKey))
        }
        return places
    }
}
