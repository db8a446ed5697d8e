import CairnModel
import CairnRows

/// A type of values in rows that can be loaded as numbers with the order that predicates use.
protocol ScalarSlot {
    /// The bits of the smallest number.
    static var lowest: UInt64 { get }
    static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> UInt64
}

extension ScalarSlot where Self: FixedWidthInteger & SignedInteger & BitwiseCopyable {
    static var lowest: UInt64 { 1 << 63 }
    @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> UInt64 {
        UInt64(bitPattern: Int64(row.number(slot, as: Self.self)))
    }
}

extension Int16: ScalarSlot {}
extension Int32: ScalarSlot {}
extension Int64: ScalarSlot {}

extension Bool: ScalarSlot {
    static var lowest: UInt64 { 0 }
    @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> UInt64 {
        row.number(slot, as: UInt8.self) == 0 ? 0 : 1
    }
}

/// Orders NaN before every number, and −0 equal to 0.
extension Double: ScalarSlot {
    static var lowest: UInt64 { 0 }
    @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> UInt64 {
        SortPart.ordered(row.double(slot))
    }
}

extension Float: ScalarSlot {
    static var lowest: UInt64 { 0 }
    @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> UInt64 {
        SortPart.ordered(Double(row.float(slot)))
    }
}

extension PredicateComparison.Operator {
    /// The operator that gives the same result if both sides are exchanged, or `nil` if the sides
    /// cannot be exchanged, as with `.in`.
    var reversed: Self? {
        switch self {
        case .equal, .notEqual: self
        case .lessThan: .greaterThan
        case .lessThanOrEqual: .greaterThanOrEqual
        case .greaterThan: .lessThan
        case .greaterThanOrEqual: .lessThanOrEqual
        default: nil
        }
    }
}
