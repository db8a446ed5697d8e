import Foundation

/// The values of a list for `IN`. Finding a value takes the same time for lists of any length.
///
/// Equality is that of ``ValueOrder/areEqual(_:_:)``, which is not transitive for numbers: a decimal is
/// compared with a double as a double, but with an integer exactly. Integers, doubles and decimals are
/// therefore stored separately, and a number is searched for in each set by the rule for that type.
struct ValueSet: Sendable {
    private var integers: Set<Int64> = []
    /// The bits of doubles, floats and dates.
    private var doubles: Set<UInt64> = []
    private var decimals: Set<String> = []
    /// The bits of ``decimals`` converted to doubles, for comparison with doubles.
    private var decimalsAsDoubles: Set<UInt64> = []
    /// All values that are not numbers. For these, `Hashable` equality is the same as that of predicates.
    private var others: Set<Value> = []

    init(_ values: [Value]) {
        for value in values { insert(value) }
    }

    private mutating func insert(_ value: Value) {
        switch Number(value) {
        case .integer(let integer)?: integers.insert(integer)
        case .double(let double)?: doubles.insert(Self.bits(double))
        case .decimal(let decimal)?:
            decimals.insert(Self.digits(decimal))
            decimalsAsDoubles.insert(Self.bits(Number.decimal(decimal).doubleValue))
        case nil: others.insert(value)
        }
    }

    package func contains(_ value: Value) -> Bool {
        switch Number(value) {
        case .integer(let integer)?:
            integers.contains(integer)
                || Double(exactly: integer).map { doubles.contains(Self.bits($0)) } ?? false
                || (!decimals.isEmpty && decimals.contains(Self.digits(Decimal(integer))))
        case .double(let double)?:
            doubles.contains(Self.bits(double)) || decimalsAsDoubles.contains(Self.bits(double))
                || Int64(exactly: double).map(integers.contains) ?? false
        case .decimal(let decimal)?:
            decimals.contains(Self.digits(decimal))
                || doubles.contains(Self.bits(Number.decimal(decimal).doubleValue))
                || Int64(exactly: decimal).map(integers.contains) ?? false
        case nil: others.contains(value)
        }
    }

    /// Returns the same bits for all doubles that are equal, including −0 and 0, and all NaNs.
    private static func bits(_ double: Double) -> UInt64 {
        double.isNaN ? Double.nan.bitPattern : double == 0 ? 0 : double.bitPattern
    }

    /// Returns the same string for all decimals that are equal, whatever their exponents.
    private static func digits(_ decimal: Decimal) -> String {
        var decimal = decimal
        NSDecimalCompact(&decimal)
        return decimal.isNaN ? "NaN" : decimal == 0 ? "0" : decimal.description
    }
}
