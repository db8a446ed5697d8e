import CairnModel

/// A condition on the row's own values, which never fails and counts no reference.
///
/// Not a bare closure, which goes through a thunk for each optional, array or generic call that it was
/// in: two comparisons cost three hundred instructions a row.
@frozen @usableFromInline package struct ValuesTest {
    @usableFromInline let holds: (RowPointer) -> Bool

    init(_ holds: @escaping (RowPointer) -> Bool) { self.holds = holds }

    /// Holds for every row. A loop that asks this instead of an optional test counts no reference.
    package static var always: ValuesTest { ValuesTest { _ in true } }

    @inlinable @inline(__always) package func callAsFunction(_ row: RowPointer) -> Bool {
        holds(row)
    }
}
