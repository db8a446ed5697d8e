import CairnModel
import CairnRows

/// A condition on the row's own values. It never fails, and does not count references.
///
/// This is not a plain closure, because a closure is wrapped in a thunk for each optional, array or
/// generic call that it passes through. That made two comparisons cost three hundred instructions
/// for each row.
@frozen @usableFromInline package struct ValuesTest {
    @usableFromInline let holds: (RowPointer) -> Bool

    init(_ holds: @escaping (RowPointer) -> Bool) { self.holds = holds }

    /// A test that accepts every row. A loop that calls it instead of an optional test needs no
    /// reference counting.
    package static var always: ValuesTest { ValuesTest { _ in true } }

    @inlinable @inline(__always) package func callAsFunction(_ row: RowPointer) -> Bool {
        holds(row)
    }
}
