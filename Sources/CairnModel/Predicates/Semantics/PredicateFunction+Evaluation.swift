import Foundation

extension PredicateFunction {
    /// Returns the result for these arguments. If an argument is `nil`, the result is `nil`, unless the
    /// function combines the values of a list, such as `sum` (see ``summary``).
    ///
    /// The result is also `nil` if the arguments have types with which the predicate could not be bound.
    package func result(of arguments: [Value], now: Date) -> Value {
        if self == .now { return .date(now) }
        if let summary { return summary.result(of: arguments) }
        guard arguments.count == arity, let first = arguments.first else { return .null }
        if case .string(let text) = first { return self.text(text) }
        guard let left = Number(first) else { return .null }
        if arguments.count == 1 { return rounded(left).value }
        guard let right = Number(arguments[1]) else { return .null }
        return calculated(left, right).value
    }

    private func text(_ text: String) -> Value {
        switch self {
        case .lowercase: .string(PredicateText.lowercased(text))
        case .uppercase: .string(PredicateText.uppercased(text))
        case .canonical:
            .string(PredicateText.folded(text, [.caseInsensitive, .diacriticInsensitive]))
        case .length: .integer(Int64(text.utf16.count))
        case .add, .subtract, .multiply, .divide, .modulus, .power, .absolute, .ceiling, .floor,
            .truncate, .squareRoot, .naturalLogarithm, .logarithm, .exponential, .now, .sum,
            .count, .minimum, .maximum, .average:
            .null
        }
    }

    private func rounded(_ number: Number) -> Number {
        switch (self, number) {
        case (.absolute, .integer(let value)):
            value == .min ? .double(number.doubleValue.magnitude) : .integer(abs(value))
        case (.ceiling, .integer), (.floor, .integer), (.truncate, .integer): number
        case (.absolute, .decimal(let value)): .decimal(value.magnitude)
        case (.ceiling, .decimal(let value)): .decimal(value.rounded(.up))
        case (.floor, .decimal(let value)): .decimal(value.rounded(.down))
        case (.truncate, .decimal(let value)):
            .decimal(value.rounded(value.sign == .minus ? .up : .down))
        default: .double(transcendental(number.doubleValue))
        }
    }

    private func transcendental(_ value: Double) -> Double {
        switch self {
        case .absolute: value.magnitude
        case .ceiling: value.rounded(.up)
        case .floor: value.rounded(.down)
        case .truncate: value.rounded(.towardZero)
        case .squareRoot: value.squareRoot()
        case .naturalLogarithm: value > 0 ? log(value) : .nan
        case .logarithm: value > 0 ? log10(value) : .nan
        case .exponential: exp(value)
        case .add, .subtract, .multiply, .divide, .modulus, .power, .lowercase, .uppercase,
            .canonical, .length, .now, .sum, .count, .minimum, .maximum, .average:
            .nan
        }
    }

    private func calculated(_ left: Number, _ right: Number) -> Number {
        switch (left, right) {
        case (.integer(let a), .integer(let b)) where self != .power:
            calculated(a, b) ?? calculated(Double(a), Double(b))
        case (.decimal(let a), .decimal(let b)) where self != .power: calculated(a, b)
        case (.decimal(let a), .integer(let b)) where self != .power: calculated(a, Decimal(b))
        case (.integer(let a), .decimal(let b)) where self != .power: calculated(Decimal(a), b)
        default: calculated(left.doubleValue, right.doubleValue)
        }
    }

    /// Returns `nil` if the result does not fit in 64 bits or the divisor is 0. The caller then calculates
    /// with doubles, for which division by 0 gives nil.
    private func calculated(_ left: Int64, _ right: Int64) -> Number? {
        let (value, overflow) =
            switch self {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            case .divide: left.dividedReportingOverflow(by: right)
            case .modulus where right == -1: (0, false)
            case .modulus: left.remainderReportingOverflow(dividingBy: right)
            case .power, .absolute, .ceiling, .floor, .truncate, .squareRoot, .naturalLogarithm,
                .logarithm, .exponential, .lowercase, .uppercase, .canonical, .length, .now, .sum,
                .count, .minimum, .maximum, .average:
                (0, true)
            }
        return overflow ? nil : .integer(value)
    }

    private func calculated(_ left: Decimal, _ right: Decimal) -> Number {
        switch self {
        case .add: .decimal(left + right)
        case .subtract: .decimal(left - right)
        // Foundation's multiplication traps if the exponent of the product does not fit in 8 bits.
        case .multiply where left.exponent + right.exponent < Int(Int8.min):
            calculated(Number.decimal(left).doubleValue, Number.decimal(right).doubleValue)
        case .multiply: .decimal(left * right)
        case .divide: .decimal(right.isZero ? .nan : left / right)
        case .modulus: .decimal(right.isZero ? .nan : left - right * (left / right).wholePart)
        case .power, .absolute, .ceiling, .floor, .truncate, .squareRoot, .naturalLogarithm,
            .logarithm, .exponential, .lowercase, .uppercase, .canonical, .length, .now, .sum,
            .count, .minimum, .maximum, .average:
            .decimal(.nan)
        }
    }

    private func calculated(_ left: Double, _ right: Double) -> Number {
        switch self {
        case .add: .double(left + right)
        case .subtract: .double(left - right)
        case .multiply: .double(left * right)
        case .divide: .double(right == 0 ? .nan : left / right)
        case .modulus: .double(right == 0 ? .nan : left.truncatingRemainder(dividingBy: right))
        case .power: .double(pow(left, right))
        case .absolute, .ceiling, .floor, .truncate, .squareRoot, .naturalLogarithm, .logarithm,
            .exponential, .lowercase, .uppercase, .canonical, .length, .now, .sum, .count,
            .minimum, .maximum, .average:
            .double(.nan)
        }
    }
}

extension Number {
    /// The number as a value. NaN becomes `.null`.
    var value: Value {
        switch self {
        case .integer(let value): .integer(value)
        case .double(let value): value.isNaN ? .null : .double(value)
        case .decimal(let value): value.isNaN ? .null : .decimal(value)
        }
    }
}

extension Decimal {
    fileprivate var wholePart: Decimal { rounded(sign == .minus ? .up : .down) }

    /// Returns the decimal rounded to a whole number, towards +∞ for `.up` and towards −∞ for `.down`.
    fileprivate func rounded(_ mode: RoundingMode) -> Decimal {
        var (source, result) = (self, Decimal())
        NSDecimalRound(&result, &source, 0, mode)
        return result
    }
}
