import CairnModel
import Foundation

/// A number or a Boolean of any type, as `setValue(_:forKey:)` takes it for an attribute.
///
/// The attribute's type decides how the number is converted, as in Core Data, in which all numbers are
/// `NSNumber`:
///
/// - An integer attribute drops the fraction.
/// - A Boolean attribute is false for 0 and true for every other number.
/// - A Boolean is 1 or 0 in a numeric attribute.
/// - A number beyond the attribute's range does not fit.
enum AnyNumber {
    case boolean(Bool)
    case integer(any BinaryInteger)
    case real(Double)
    case decimal(Decimal)

    /// Returns `nil` if the value is neither a number nor a Boolean.
    init?(_ value: Any) {
        // First, because a cast of an NSNumber that is 0 or 1 to Bool succeeds, whatever it was made of.
        if Swift.type(of: value) is NSNumber.Type, let number = value as? NSNumber {
            self.init(foundation: number)
            return
        }
        switch value {
        case let value as Bool: self = .boolean(value)
        case let value as any BinaryInteger: self = .integer(value)
        case let value as Double: self = .real(value)
        case let value as Float: self = .real(Double(value))
        case let value as Decimal: self = .decimal(value)
        default: return nil
        }
    }

    private init(foundation number: NSNumber) {
        if let decimal = number as? NSDecimalNumber {
            self = .decimal(decimal.decimalValue)
            return
        }
        // The codes are those of Objective-C's types. On Linux, only Booleans have “c”, and on macOS
        // 8-bit integers have it too; there a Boolean is an object of its own.
        switch number.objCType.pointee {
        case code("c"), code("B"):
            self = number.isBoolean ? .boolean(number.boolValue) : .integer(number.int64Value)
        case code("f"), code("d"): self = .real(number.doubleValue)
        case code("Q"), code("L"): self = .integer(number.uint64Value)
        default: self = .integer(number.int64Value)
        }
    }
}

private func code(_ letter: Unicode.Scalar) -> CChar { CChar(letter.value) }

extension NSNumber {
    /// Whether the number was made of a Boolean.
    fileprivate var isBoolean: Bool {
        self === NSNumber(value: true) || self === NSNumber(value: false)
    }
}

extension Value {
    /// Takes a number for an attribute of the type. Returns `nil` if the type takes no numbers, or if
    /// the number is beyond its range.
    init?(_ number: AnyNumber, as type: AttributeType) {
        switch type {
        case .boolean: self = .boolean(number.isTrue)
        case .integer16, .integer32, .integer64:
            guard let integer = number.truncated else { return nil }
            self = .integer(integer)
        case .double: self = .double(number.double)
        case .float:
            let float = Float(number.double)
            if float.isInfinite, number.double.isFinite { return nil }
            self = .float(float)
        case .decimal:
            guard let decimal = number.decimal else { return nil }
            self = .decimal(decimal)
        case .undefined: self = number.value
        default: return nil
        }
    }
}

extension AttributeType {
    /// The numbers that an attribute of the type holds, for messages.
    var rangeDescription: String {
        switch self {
        case .integer16: "\(self) (\(Int16.min) to \(Int16.max))"
        case .integer32: "\(self) (\(Int32.min) to \(Int32.max))"
        case .integer64: "\(self) (\(Int64.min) to \(Int64.max))"
        default: "\(self)"
        }
    }
}

extension AnyNumber {
    fileprivate var isTrue: Bool {
        switch self {
        case .boolean(let value): value
        case .integer(let value): Double(value) != 0
        case .real(let value): value != 0
        case .decimal(let value): !value.isZero
        }
    }

    /// Without the fraction. `nil` if that is beyond 64 bits, or if it is no number.
    fileprivate var truncated: Int64? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): Int64(exactly: value)
        case .real(let value): Int64(exactly: value.rounded(.towardZero))
        case .decimal(let value):
            value.isNaN ? nil : Int64("\(value.whole)")
        }
    }

    fileprivate var double: Double {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): Double(value)
        case .real(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        }
    }

    /// `nil` for an infinite number, which decimals do not have.
    fileprivate var decimal: Decimal? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): Decimal(string: "\(value)")
        case .real(let value):
            // By way of the shortest text, so that 1.1 is 1.1.
            value.isNaN ? .nan : Decimal(string: "\(value)")
        case .decimal(let value): value
        }
    }

    /// As it is, for what has no type of its own.
    fileprivate var value: Value {
        switch self {
        case .boolean(let value): .boolean(value)
        case .integer(let value): Int64(exactly: value).map(Value.integer) ?? .double(Double(value))
        case .real(let value): .double(value)
        case .decimal(let value): .decimal(value)
        }
    }
}

extension Decimal {
    /// Without the fraction.
    fileprivate var whole: Decimal {
        var (value, result) = (self, Decimal())
        NSDecimalRound(&result, &value, 0, value.isSignMinus ? .up : .down)
        return result
    }
}
