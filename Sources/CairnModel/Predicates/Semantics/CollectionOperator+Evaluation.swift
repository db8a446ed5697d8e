import Foundation

extension BoundPath.CollectionOperator {
    /// Returns the result of combining the values. Values that are `nil` are ignored.
    package func result(of values: [Value]) -> Value {
        let present = values.filter { !$0.isNull }
        switch self {
        case .count: return .integer(Int64(present.count))
        case .sum: return present.isEmpty ? .integer(0) : Self.sum(present).value
        case .average: return present.isEmpty ? .null : Self.average(present)
        case .min:
            return present.dropFirst().reduce(present.first ?? .null) {
                (ValueOrder.order($1, $0) ?? 0) < 0 ? $1 : $0
            }
        case .max:
            return present.dropFirst().reduce(present.first ?? .null) {
                (ValueOrder.order($1, $0) ?? 0) > 0 ? $1 : $0
            }
        }
    }

    /// Returns the sum. Integers are added in 128 bits, so only the total must fit in 64 bits.
    private static func sum(_ values: [Value]) -> Number {
        let numbers = values.compactMap(Number.init)
        var integers: Int128 = 0
        var decimals: Decimal = 0
        var doubles = 0.0
        var (hasDecimal, hasDouble) = (false, false)
        for number in numbers {
            switch number {
            case .integer(let value):
                integers += Int128(value)
                decimals += Decimal(value)
            case .decimal(let value):
                decimals += value
                hasDecimal = true
            case .double: hasDouble = true
            }
            doubles += number.doubleValue
        }
        if hasDouble { return .double(doubles) }
        if hasDecimal { return .decimal(decimals) }
        return Int64(exactly: integers).map(Number.integer) ?? .double(Double(integers))
    }

    private static func average(_ values: [Value]) -> Value {
        switch sum(values) {
        case .decimal(let sum): Number.decimal(sum / Decimal(values.count)).value
        case .integer(let sum): .double(Double(sum) / Double(values.count))
        case .double(let sum): Number.double(sum / Double(values.count)).value
        }
    }
}
