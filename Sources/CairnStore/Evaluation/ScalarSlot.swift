import CairnModel

/// A slot that loads as a number which orders as predicates do.
protocol ScalarSlot {
    associatedtype Scalar: Comparable
    static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> Scalar
}
