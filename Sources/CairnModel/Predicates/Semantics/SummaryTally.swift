import Foundation

/// A summary to which values are added one by one.
package struct SummaryTally: Sendable {
    private let operation: BoundPath.CollectionOperator
    private var count = 0
    /// The sum of the integers in 128 bits, so that only the total must fit in 64 bits.
    private var integers: Int128 = 0
    /// The sum of the integers and doubles.
    private var doubles = 0.0
    private var hasDouble = false
    /// The sum of the decimals. `nil` before the first decimal.
    private var decimals: Decimal?
    /// The least or the greatest value.
    private var extreme = Value.null

    /// Creates a summary without values.
    package init(_ operation: BoundPath.CollectionOperator) { self.operation = operation }

    /// Adds a value. A value that is `nil` has no effect.
    package mutating func add(_ value: Value) {
        guard !value.isNull else { return }
        count += 1
        switch operation {
        case .count: return
        case .min: if count == 1 || isLess(value, extreme) { extreme = value }
        case .max: if count == 1 || isLess(extreme, value) { extreme = value }
        case .sum, .average: if let number = Number(value) { addNumber(number) }
        }
    }

    /// Adds an integer, in the same way as ``add(_:)`` and without making a value.
    @inline(__always) package mutating func add(integer: Int64) {
        switch operation {
        case .count: count += 1
        case .sum, .average:
            count += 1
            integers &+= Int128(integer)
            doubles += Double(integer)
        case .min, .max: add(.integer(integer))
        }
    }

    private func isLess(_ left: Value, _ right: Value) -> Bool {
        (ValueOrder.order(left, right) ?? 0) < 0
    }

    private mutating func addNumber(_ number: Number) {
        switch number {
        case .integer(let value):
            integers += Int128(value)
            doubles += Double(value)
        case .decimal(let value): decimals = (decimals ?? 0) + value
        case .double(let value):
            doubles += value
            hasDouble = true
        }
    }

    private var sum: Number {
        let decimals = decimals.map(Number.decimal)
        if hasDouble { return .double(doubles + (decimals?.doubleValue ?? 0)) }
        if case .decimal(let sum) = decimals { return .decimal(sum + integersAsDecimal) }
        return Int64(exactly: integers).map(Number.integer) ?? .double(Double(integers))
    }

    private var integersAsDecimal: Decimal {
        Int64(exactly: integers).map { Decimal($0) } ?? Decimal(string: "\(integers)") ?? .nan
    }

    /// The result for the values that were added so far.
    package var result: Value {
        switch operation {
        case .count: .integer(Int64(count))
        case .sum: count == 0 ? .integer(0) : sum.value
        case .average: count == 0 ? .null : average
        case .min, .max: extreme
        }
    }

    private var average: Value {
        switch sum {
        case .decimal(let sum): Number.decimal(sum / Decimal(count)).value
        case .integer(let sum): .double(Double(sum) / Double(count))
        case .double(let sum): Number.double(sum / Double(count)).value
        }
    }
}
