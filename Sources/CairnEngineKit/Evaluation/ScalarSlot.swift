import CairnModel
import CairnRows

/// A kind of slot whose values can be loaded as numbers with the order that predicates use.
protocol ScalarSlot {
    associatedtype Scalar: Comparable
    static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> Scalar
}
