import Foundation

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
