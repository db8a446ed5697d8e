import CairnModel
import CairnStore

/// How rows of one entity are in one index of a ``StoreTable``.
///
/// An index is a sorted set of pairs: a code made of the row's values, and the row's key.
struct EntityIndex: Sendable {
    enum Code: Sendable {
        /// The key of a to-one's destination: exact.
        case destination(RowLayout.Slot)
        /// A hash of the values of several slots: equal values have equal codes.
        case hash([RowLayout.Slot])
        /// An ``IndexCode`` of one attribute's value.
        case ordered(RowLayout.Slot)
    }

    /// Which index of the table.
    let index: Int
    let code: Code

    /// Returns the row's code. Returns `nil` if the index does not hold the row.
    func code(of row: Row) -> Int64? {
        switch code {
        case .destination(let slot):
            return row.isNull(slot) ? nil : row.objectID(slot).key
        case .ordered(let slot):
            return IndexCode.code(of: slot, in: row)
        case .hash(let slots):
            // As in SQL, nil equals nothing: a row with a nil breaks no constraint.
            if slots.contains(where: row.isNull) { return nil }
            var hasher = Hasher()
            for slot in slots { hasher.combine(row.value(slot)) }
            return Int64(hasher.finalize())
        }
    }
}
