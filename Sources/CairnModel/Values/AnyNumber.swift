import Foundation

/// A number or a Boolean of any type, as accepted by `setValue(_:forKey:)` for an attribute.
///
/// The attribute's type decides how the number is converted, as in Core Data, where all numbers are
/// `NSNumber` objects:
///
/// - An integer attribute drops the fraction.
/// - A Boolean attribute is false for 0 and true for every other number.
/// - A Boolean becomes 1 or 0 in a numeric attribute.
/// - A number outside the attribute's range does not fit.
@usableFromInline package enum AnyNumber {
    case boolean(Bool)
    case integer(any BinaryInteger)
    case real(Double)
    case decimal(Decimal)

    /// Returns `nil` if the value is neither a number nor a Boolean.
    package init?(_ value: Any) {
        // `NSNumber` must be checked first: a cast to `Bool` succeeds for every `NSNumber` that is 0 or
        // 1, even if it was created from another type.
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
        // These are Objective-C type codes. On Linux, only Booleans have “c”. On macOS, 8-bit integers
        // have it too, but Booleans are distinct objects.
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
    /// Whether the number was created from a Boolean.
    fileprivate var isBoolean: Bool {
        self === NSNumber(value: true) || self === NSNumber(value: false)
    }
}

extension Value {
    /// Creates a value of an attribute's type from a number. Returns `nil` if the type does not hold
    /// numbers, or if the number is outside the type's range.
    @usableFromInline package init?(_ number: AnyNumber, as type: AttributeType) {
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
    /// The numbers that an attribute of the type can hold, for error messages.
    package var rangeDescription: String {
        switch self {
        case .integer16: "\(sourceName) (\(Int16.min) to \(Int16.max))"
        case .integer32: "\(sourceName) (\(Int32.min) to \(Int32.max))"
        case .integer64: "\(sourceName) (\(Int64.min) to \(Int64.max))"
        case .float:
            "\(sourceName) (\(-Float.greatestFiniteMagnitude) to \(Float.greatestFiniteMagnitude))"
        default: "\(sourceName)"
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

    /// The integer part. `nil` if it does not fit in 64 bits, or if this is not a number.
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

    /// The number as a decimal. `nil` if it is infinite, because decimals cannot be infinite.
    fileprivate var decimal: Decimal? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): Decimal(string: "\(value)")
        case .real(let value):
            // Converting the shortest text keeps 1.1 as 1.1.
            value.isNaN ? .nan : Decimal(string: "\(value)")
        case .decimal(let value): value
        }
    }

    /// The value in the number's own type, for attributes of undefined type.
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
    /// The integer part.
    fileprivate var whole: Decimal {
        var (value, result) = (self, Decimal())
        NSDecimalRound(&result, &value, 0, value.isSignMinus ? .up : .down)
        return result
    }
}
