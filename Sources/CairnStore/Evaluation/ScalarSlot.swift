import CairnModel

/// A slot that loads as a number which orders as predicates do.
protocol ScalarSlot {
    associatedtype Scalar: Comparable
    static func load(_ row: RowPointer, _ slot: RowLayout.Slot) -> Scalar
}

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

/// NaN before every number, −0 as 0.
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

/// A comparison of two numbers, as a type, so that the compiler makes one test of slot and it.
protocol ScalarComparison {
    /// What it says of nil on the left; the constant is never nil.
    static var ofNull: Bool { get }
    static func holds<Scalar: Comparable>(_ value: Scalar, _ constant: Scalar) -> Bool
}

extension ScalarComparison {
    static var ofNull: Bool { false }
}

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
