import Foundation

/// The values of a list, for `IN`: finding one costs the same whatever the length of the list.
///
/// Equality is that of ``ValueOrder/areEqual(_:_:)``, which is not transitive among numbers: a decimal
/// compares with a double as a double, and with an integer exactly. So integers, doubles and decimals
/// are kept apart, and a number is looked up among each of them as it compares with them.
struct ValueSet: Sendable {
    private var integers: Set<Int64> = []
    /// Doubles, floats and dates.
    private var doubles: Set<UInt64> = []
    private var decimals: Set<String> = []
    /// The values of ``decimals`` as they compare with doubles.
    private var decimalsAsDoubles: Set<UInt64> = []
    /// All that are not numbers: their equality as values is that of predicates.
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

    func contains(_ value: Value) -> Bool {
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

    /// One pattern of bits for all doubles that are equal: −0 is 0, and NaN is NaN.
    private static func bits(_ double: Double) -> UInt64 {
        double.isNaN ? Double.nan.bitPattern : double == 0 ? 0 : double.bitPattern
    }

    /// One text for all decimals that are equal, whatever their exponents.
    private static func digits(_ decimal: Decimal) -> String {
        var decimal = decimal
        NSDecimalCompact(&decimal)
        return decimal.isNaN ? "NaN" : decimal == 0 ? "0" : decimal.description
    }
}
