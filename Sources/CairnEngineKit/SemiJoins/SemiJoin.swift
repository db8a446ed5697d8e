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
