import CairnModel
import CairnRows

/// The kinds of slots whose values can be loaded as numbers.
enum ScalarSlots {
    enum Int16Slot: ScalarSlot {
        @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> Int64 {
            Int64(row.number(slot, as: Int16.self))
        }
    }

    enum Int32Slot: ScalarSlot {
        @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> Int64 {
            Int64(row.number(slot, as: Int32.self))
        }
    }

    enum Int64Slot: ScalarSlot {
        @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> Int64 {
            row.number(slot)
        }
    }

    enum BooleanSlot: ScalarSlot {
        @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> Int64 {
            row.number(slot, as: UInt8.self) == 0 ? 0 : 1
        }
    }

    /// Orders NaN before every number, and −0 equal to 0.
    enum DoubleSlot: ScalarSlot {
        @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> UInt64 {
            SortPart.ordered(row.double(slot))
        }
    }

    enum FloatSlot: ScalarSlot {
        @inline(__always) static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> UInt64 {
            SortPart.ordered(Double(row.float(slot)))
        }
    }
}

/// A kind of slot whose values can be loaded as numbers with the order that predicates use.
protocol ScalarSlot {
    associatedtype Scalar: Comparable
    static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> Scalar
}

/// The comparisons of numbers for which fast tests are compiled.
enum ScalarComparisons {
    enum Equal: ScalarComparison {
        @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a == b }
    }

    enum NotEqual: ScalarComparison {
        static var ofNull: Bool { true }
        @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a != b }
    }

    enum LessThan: ScalarComparison {
        @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a < b }
    }

    enum LessThanOrEqual: ScalarComparison {
        @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a <= b }
    }

    enum GreaterThan: ScalarComparison {
        @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a > b }
    }

    enum GreaterThanOrEqual: ScalarComparison {
        @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a >= b }
    }
}

/// A comparison of two numbers. It is a type so that the compiler specialises one test for each
/// combination of slot and comparison.
protocol ScalarComparison {
    /// The result if the value on the left is `nil`. The constant is never `nil`.
    static var ofNull: Bool { get }
    static func holds<Scalar: Comparable>(_ value: Scalar, _ constant: Scalar) -> Bool
}

extension ScalarComparison {
    static var ofNull: Bool { false }
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
