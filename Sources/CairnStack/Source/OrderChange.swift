import CairnModel

/// The difference between two orders: the members between their common prefix and their common suffix.
package struct OrderChange {
    private var prefixCount = 0
    package private(set) var before: [ObjectID] = []
    package private(set) var after: [ObjectID] = []

    package init() {}

    /// Whether both orders are the same.
    package var isEmpty: Bool { before.isEmpty && after.isEmpty }

    /// Creates the difference between two orders.
    ///
    /// - Complexity: O(*n*). Only the members that differ are stored.
    package init(from before: [ObjectID], to after: [ObjectID]) {
        let shorter = min(before.count, after.count)
        while prefixCount < shorter, before[prefixCount] == after[prefixCount] { prefixCount += 1 }
        var suffixCount = 0
        while suffixCount < shorter - prefixCount,
            before[before.count - 1 - suffixCount] == after[after.count - 1 - suffixCount]
        {
            suffixCount += 1
        }
        self.before = Array(before[prefixCount..<(before.count - suffixCount)])
        self.after = Array(after[prefixCount..<(after.count - suffixCount)])
    }

    /// Returns the order before the change, computed from the order after it.
    ///
    /// If others have changed the order in the meantime, members that they added remain, and the changed
    /// members return to their former indices as far as these exist.
    package func revert(_ order: [ObjectID]) -> [ObjectID] {
        let end = prefixCount + after.count
        if end <= order.count, order[prefixCount..<end].elementsEqual(after) {
            return Array(order[..<prefixCount]) + before + Array(order[end...])
        }
        let moved = Set(before).union(after)
        var rest = order.filter { !moved.contains($0) }
        rest.insert(contentsOf: before, at: min(prefixCount, rest.count))
        return rest
    }

    /// Returns the same change with other IDs for the same objects.
    package func replacingIDs(_ current: (ObjectID) -> ObjectID) -> OrderChange {
        var change = self
        change.before = before.map(current)
        change.after = after.map(current)
        return change
    }
}
