import CairnModel
import CairnRows

/// The result of a comparison through a relationship for all rows at once: the keys that a row must
/// lead to, or the keys of the rows that match.
///
/// Testing a row takes one look at its own values, regardless of the length of the path.
package struct SemiJoin: Sendable {
    /// The key that is looked up in ``keys``.
    package enum Subject: Sendable {
        /// The key of the to-one relationship's destination.
        case destination(Relationship)
        /// The row's own key.
        case row
    }

    package let subject: Subject
    package let keys: KeySet
    /// Whether the comparison is true for the keys in the set. If `false`, it is true for all other
    /// keys, and for a to-one relationship that leads nowhere.
    package let holdsForKeys: Bool
    /// Whether the matching rows are so few that finding each of them costs less than testing all
    /// rows.
    package let isSelective: Bool

    /// Returns a test of a row's own values that is equivalent to the comparison.
    func test(_ layouts: RowLayouts) -> ValuesTest {
        let (keys, holds) = (keys, holdsForKeys)
        guard case .destination(let relationship) = subject else {
            return ValuesTest { row in keys.contains(row.key) == holds }
        }
        let slots = SlotTable(relationship.entity, slot: relationship.rowSlot, layouts)
        if let (entity, slot) = slots.only {
            return ValuesTest { row in
                guard row.entity == entity, !row.isNull(slot) else { return !holds }
                return keys.contains(row.number(slot)) == holds
            }
        }
        return ValuesTest { row in
            guard let slot = slots.slot(for: row), !row.isNull(slot) else { return !holds }
            return keys.contains(row.number(slot)) == holds
        }
    }
}

/// The semi-joins for the comparisons of a predicate. Relationships of other comparisons have to be
/// followed object by object.
package typealias SemiJoins = [BoundComparison: SemiJoin]

/// A set of keys of rows in one root entity's hierarchy, optimized for one look-up for each row of
/// a scan.
package struct KeySet: Sendable {
    /// The number of keys.
    package let count: Int
    /// One bit for each key from ``first`` on. Empty if the keys are too far apart for a bit map.
    private let words: [UInt64]
    private let first: Int64
    /// The keys in ascending order. Empty if there is a bit map.
    private let sorted: [Int64]

    /// Creates a set of the keys, which may be in any order and may contain duplicates.
    package init(_ keys: some Collection<Int64>) {
        guard let low = keys.min(), let high = keys.max() else {
            (count, words, first, sorted) = (0, [], 0, [])
            return
        }
        guard low >= 0, high - low < Int64(Self.mostBits(forCount: keys.count)) else {
            sorted = Set(keys).sorted()
            (count, words, first) = (sorted.count, [], low)
            return
        }
        var bits = [UInt64](repeating: 0, count: Int(high - low) / 64 + 1)
        for key in keys { bits[Int(key - low) / 64] |= 1 << UInt64((key - low) % 64) }
        count = bits.reduce(0) { $0 + $1.nonzeroBitCount }
        (words, first, sorted) = (bits, low, [])
    }

    /// A bit map may have 256 bits for each key, and 16 KB in any case.
    private static func mostBits(forCount count: Int) -> Int {
        max(count.multipliedReportingOverflow(by: 256).partialValue, 1 << 17)
    }

    /// Returns whether the set contains the key.
    @inline(__always) package func contains(_ key: Int64) -> Bool {
        let bit = UInt64(bitPattern: key &- first)
        if bit / 64 < UInt64(words.count) {
            return words[Int(bit / 64)] >> (bit % 64) & 1 == 1
        }
        return sorted.isEmpty ? false : isInSorted(key)
    }

    private func isInSorted(_ key: Int64) -> Bool {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && sorted[low] == key
    }

    /// The keys in ascending order.
    package var keys: [Int64] {
        if words.isEmpty { return sorted }
        var keys: [Int64] = []
        keys.reserveCapacity(count)
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                keys.append(first + Int64(index * 64 + rest.trailingZeroBitCount))
                rest &= rest - 1
            }
        }
        return keys
    }
}
