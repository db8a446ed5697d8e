import Cairn
import Foundation

/// The ranges and lengths that an attribute's validation rules allow, and values within them.
struct FixtureBounds {
    private let type: AttributeType
    private var minimum: Decimal?
    private var maximum: Decimal?
    private var minimumLength = 0
    private var maximumLength = Int.max

    init(_ attribute: AttributeDescription) {
        type = attribute.type
        for rule in attribute.validationRules {
            switch rule {
            case .minimum(let value):
                minimum = [minimum, value.decimalBound].compactMap { $0 }.max()
            case .maximum(let value):
                maximum = [maximum, value.decimalBound].compactMap { $0 }.min()
            case .minimumLength(let count): minimumLength = max(minimumLength, count)
            case .maximumLength(let count): maximumLength = min(maximumLength, count)
            case .matches, .predicate: break
            }
        }
    }

    /// The allowed lengths of strings and binary data. If the bounds contradict each other, the rules refuse
    /// every length.
    var lengths: ClosedRange<Int> { minimumLength...max(minimumLength, maximumLength) }

    /// Returns the integer for a fixture number. The integers start at the smallest allowed one, or at 1 if
    /// there is no minimum. They increase by 1, and start again after the largest allowed one.
    func integer(_ number: Int) -> Value {
        let widest: ClosedRange<Int64> =
            switch type {
            case .integer16: Int64(Int16.min)...Int64(Int16.max)
            case .integer32: Int64(Int32.min)...Int64(Int32.max)
            default: .min...(.max)
            }
        let lowest = minimum.map { Int64(clamping: $0.roundedUp) }
        let highest = maximum.map { Int64(clamping: $0.roundedDown) }
        let range = Range(from: lowest, to: highest, within: widest)
        let (span, isWide) = range.last.subtractingReportingOverflow(range.first)
        // The first number has step 0.
        let step = Int64(number) &- 1
        if isWide || span == .max { return .integer(range.first &+ step) }
        let offset = step % (span + 1)
        return .integer(range.first + (offset < 0 ? offset + span + 1 : offset))
    }

    /// Returns the decimal number for a fixture number. The numbers are whole as long as they are within the
    /// range. After that, they are fractions between the bounds.
    func decimal(_ number: Int) -> Decimal {
        let step: Decimal = type == .date ? 86_400 : 1
        let lowest = minimum ?? min(type == .date ? 0 : 1, maximum ?? 1)
        let value = lowest + step * Decimal(number - 1)
        guard let maximum, value > maximum || number < 1 else { return value }
        let first = minimum ?? maximum - step * 1_000_000
        return first + (maximum - first) * Self.fraction(number)
    }

    /// Returns the decimal number for a fixture number as a floating-point number.
    func real(_ number: Int) -> Double { NSDecimalNumber(decimal: decimal(number)).doubleValue }

    /// Returns a fraction between 0 and 1 that differs for each number: 1/2, 1/4, 3/4, 1/8 and so on. It has
    /// few binary and decimal digits. (This is the van der Corput sequence.)
    private static func fraction(_ number: Int) -> Decimal {
        var (rest, fraction, bit) = (number.magnitude, Decimal(0), Decimal(1))
        while rest > 0 {
            bit /= 2
            if rest & 1 == 1 { fraction += bit }
            rest >>= 1
        }
        return fraction
    }

    /// A non-empty range of integers.
    private struct Range {
        let first: Int64
        let last: Int64

        init(from lowest: Int64?, to highest: Int64?, within widest: ClosedRange<Int64>) {
            last = min(highest ?? widest.upperBound, widest.upperBound)
            // Without a lower bound, prefer positive numbers.
            let below = last < widest.lowerBound + 1_000_000 ? widest.lowerBound : last - 1_000_000
            first = min(max(lowest ?? (last >= 1 ? 1 : below), widest.lowerBound), last)
        }
    }
}

extension Value {
    /// The bound of a rule as a number. For a date, this is the number of seconds since 2001. `nil` for other
    /// values.
    fileprivate var decimalBound: Decimal? {
        switch self {
        case .integer(let value): Decimal(value)
        case .double(let value): value.isFinite ? Decimal(value) : nil
        case .float(let value): value.isFinite ? Decimal(Double(value)) : nil
        case .decimal(let value): value
        case .date(let value): Decimal(value.timeIntervalSinceReferenceDate)
        default: nil
        }
    }
}

extension Decimal {
    fileprivate var roundedUp: Decimal { rounded(.up) }
    fileprivate var roundedDown: Decimal { rounded(.down) }

    private func rounded(_ mode: RoundingMode) -> Decimal {
        var (value, result) = (self, Decimal())
        NSDecimalRound(&result, &value, 0, mode)
        return result
    }
}

extension Int64 {
    fileprivate init(clamping value: Decimal) {
        if value >= Decimal(Int64.max) {
            self = .max
        } else if value <= Decimal(Int64.min) {
            self = .min
        } else {
            self = NSDecimalNumber(decimal: value).int64Value
        }
    }
}
