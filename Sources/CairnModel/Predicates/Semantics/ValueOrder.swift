import Foundation

/// The equality and order of values in predicates and sorts, as specified by the tables of
/// `docs/formats/predicates.md`.
///
/// Every evaluator uses these functions or is tested against them.
package enum ValueOrder {
    /// Returns whether two values are equal. Null is equal to null, and numbers of different types are
    /// compared by value.
    package static func areEqual(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): return true
        case (.null, _), (_, .null): return false
        case (.integer(let a), .integer(let b)): return a == b
        case (.string(let a), .string(let b)): return a.utf8.elementsEqual(b.utf8)
        case (.binary(let a), .binary(let b)), (.transformable(let a), .transformable(let b)):
            return a == b
        case (.composite(let a), .composite(let b)): return a == b
        default: return order(left, right) == 0
        }
    }

    /// Returns a negative number, zero or a positive number if the left value comes before, with or after the
    /// right value. Returns `nil` if either value is null or if they have no order. Object IDs are ordered by
    /// root entity, key and store.
    package static func order(_ left: Value, _ right: Value) -> Int? {
        if let a = Number(left), let b = Number(right) { return Number.order(a, b) }
        switch (left, right) {
        case (.string(let a), .string(let b)): return PredicateText.order(a, b)
        case (.uri(let a), .uri(let b)):
            return PredicateText.order(a.absoluteString, b.absoluteString)
        case (.uuid(let a), .uuid(let b)):
            return withUnsafeBytes(of: a.uuid) { a in
                withUnsafeBytes(of: b.uuid) { b in PredicateText.order(a, b) }
            }
        case (.objectID(let a), .objectID(let b)): return order(a, b)
        default: return nil
        }
    }

    /// Compares two object IDs by root entity, then key, then store. This order decides between objects that
    /// are otherwise sorted as equal.
    package static func order(_ left: ObjectID, _ right: ObjectID) -> Int {
        if left.rootEntity != right.rootEntity {
            return left.rootEntity < right.rootEntity ? -1 : 1
        }
        if left.key != right.key { return left.key < right.key ? -1 : 1 }
        if left.store == right.store { return 0 }
        return left.store.rawValue < right.store.rawValue ? -1 : 1
    }

    /// Compares two doubles by value. NaN is equal to NaN and comes before all numbers.
    package static func order(_ left: Double, _ right: Double) -> Int {
        if left < right { return -1 }
        if left > right { return 1 }
        if left == right { return 0 }
        return (right.isNaN ? 1 : 0) - (left.isNaN ? 1 : 0)
    }
}

/// A value that takes part in comparisons and arithmetic as a number.
enum Number {
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)

    init?(_ value: Value) {
        switch value {
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .float(let value): self = .double(Double(value))
        case .boolean(let flag): self = .integer(flag ? 1 : 0)
        case .date(let date): self = .double(date.timeIntervalSinceReferenceDate)
        case .decimal(let value): self = .decimal(value)
        default: return nil
        }
    }

    /// The nearest double.
    var doubleValue: Double {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): value.isNaN ? .nan : Double(value.description) ?? .nan
        }
    }

    static func order(_ left: Number, _ right: Number) -> Int {
        switch (left, right) {
        case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.integer(let a), .double(let b)): order(a, b)
        case (.double(let a), .integer(let b)): -order(b, a)
        case (.decimal(let a), .decimal(let b)): order(a, b)
        case (.decimal(let a), .integer(let b)): order(a, Decimal(b))
        case (.integer(let a), .decimal(let b)): order(Decimal(a), b)
        default: ValueOrder.order(left.doubleValue, right.doubleValue)
        }
    }

    private static func order(_ left: Decimal, _ right: Decimal) -> Int {
        if left.isNaN || right.isNaN { return (right.isNaN ? 1 : 0) - (left.isNaN ? 1 : 0) }
        return left < right ? -1 : right < left ? 1 : 0
    }

    /// Compares exactly. Converting the integer to a double would round integers from 2⁵³ on.
    private static func order(_ left: Int64, _ right: Double) -> Int {
        if right.isNaN { return 1 }
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let whole = Int64(right)
        if left != whole { return left < whole ? -1 : 1 }
        let rest = right - Double(whole)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }
}
