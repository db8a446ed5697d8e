import CairnModel
import CairnRows

/// Describes how rows of one entity appear in one index of a ``StoreTable``.
///
/// An index is a sorted set of pairs. Each pair consists of a code that is computed from a row's
/// values, and the row's key.
struct EntityIndex: Sendable {
    enum Code: Sendable {
        /// The key of a to-one relationship's destination. This code is exact.
        case destination(RowLayout.Slot)
        /// A hash of the values of several slots. Equal values have equal codes.
        case hash([RowLayout.Slot])
        /// The ``IndexCode`` of one attribute's value.
        case ordered(RowLayout.Slot)
    }

    /// The number of the index in the table.
    let index: Int
    let code: Code

    /// Returns the row's code, or `nil` if the index does not contain the row.
    func code(of row: Row) -> Int64? {
        switch code {
        case .destination(let slot):
            return row.isNull(slot) ? nil : row.objectID(slot).key
        case .ordered(let slot):
            return IndexCode.code(of: slot, in: row)
        case .hash(let slots):
            // `nil` is not equal to anything, as in SQL. A row with a `nil` value violates no
            // constraint.
            if slots.contains(where: row.isNull) { return nil }
            var hasher = Hasher()
            for slot in slots { hasher.combine(row.value(slot)) }
            return Int64(hasher.finalize())
        }
    }
}
