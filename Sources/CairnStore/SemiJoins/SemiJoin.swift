import CairnModel

/// The answer to a comparison through a relationship, for every row at once: what a row must lead to,
/// or which rows match.
///
/// A row is tested by one look at its own values, however long the path is.
package struct SemiJoin: Sendable {
    /// Whose key is looked up.
    package enum Subject: Sendable {
        /// That of the to-one's destination.
        case destination(Relationship)
        /// The row's own.
        case row
    }

    package let subject: Subject
    package let keys: KeySet
    /// Whether the comparison holds for the keys in the set; otherwise it holds for all others, and
    /// for a to-one that leads nowhere.
    package let holdsForKeys: Bool
    /// Whether so few rows match that finding each of them costs less than testing all.
    package let isSelective: Bool

    /// Returns the test of a row's own values that is equivalent to the comparison.
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
