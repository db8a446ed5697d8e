internal import CairnStore

/// How far a program has read the histories of a container's stores.
///
/// Save the token of the last transaction that was handled, for example as JSON, and continue with the transactions
/// whose token is greater, in this process or another.
public struct DefaultHistoryToken: Hashable, Codable, Sendable {
    let position: PersistentHistoryToken

    init(_ position: PersistentHistoryToken) { self.position = position }

    /// The number of the last transaction that was read of each store, by the identifier of the store.
    /// Never `nil`.
    public var tokenValue: [String: Int64]? { position.positions.mapValues(\.number) }
}

extension DefaultHistoryToken: Comparable {
    /// Returns whether the first token is an earlier one. The transactions that one fetch returns without a sort order
    /// have increasing tokens. Tokens of different containers have an order without a meaning.
    public static func < (left: Self, right: Self) -> Bool {
        let (left, right) = (left.position.positions, right.position.positions)
        for store in Set(left.keys).union(right.keys).sorted() where left[store] != right[store] {
            guard let first = left[store] else { return true }
            guard let second = right[store] else { return false }
            return (first.number, first.mark) < (second.number, second.mark)
        }
        return false
    }
}
