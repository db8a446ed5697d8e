/// A collection operator, which turns the values at the end of a to-many relationship into one value or
/// array.
///
/// Sums and orders are defined as in predicates, so key paths and fetches give the same results.
package enum KeyPathOperator: String, CaseIterable {
    case count = "@count"
    case sum = "@sum"
    case average = "@avg"
    case minimum = "@min"
    case maximum = "@max"
    case unionOfObjects = "@unionOfObjects"
    case distinctUnionOfObjects = "@distinctUnionOfObjects"
    // Values from several to-many relationships are combined into one array, so these operators are
    // equivalent to the two above.
    case unionOfArrays = "@unionOfArrays"
    case distinctUnionOfArrays = "@distinctUnionOfArrays"
    case unionOfSets = "@unionOfSets"
    case distinctUnionOfSets = "@distinctUnionOfSets"

    package static var allNames: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// A result. Its value may be `nil`.
    package struct Result {
        package let value: Any?
    }

    /// Returns the result, or `nil` if the operator does not accept values of this type.
    package func result(of values: [Any]) -> Result? {
        switch self {
        case .count: Result(value: Int64(values.count))
        case .sum: summary(.sum, of: values) { $0.isNumber }
        case .average: summary(.average, of: values) { $0.isNumber }
        case .minimum: summary(.min, of: values) { $0.isOrdered }
        case .maximum: summary(.max, of: values) { $0.isOrdered }
        case .unionOfObjects, .unionOfArrays, .unionOfSets: Result(value: values)
        case .distinctUnionOfObjects, .distinctUnionOfArrays, .distinctUnionOfSets:
            distinct(values).map { Result(value: $0) }
        }
    }

    private func summary(
        _ operation: BoundPath.CollectionOperator, of values: [Any], takes: (Value) -> Bool
    ) -> Result? {
        let converted = values.compactMap(Value.init(plain:))
        guard converted.count == values.count, converted.allSatisfy(takes) else { return nil }
        return Result(value: operation.result(of: converted).anyValue)
    }

    /// Returns the values without duplicates, in the order of their first occurrences.
    private func distinct(_ values: [Any]) -> [Any]? {
        var seen: Set<AnyHashable> = []
        var kept: [Any] = []
        for value in values {
            guard let key = value as? AnyHashable else { return nil }
            if seen.insert(key).inserted { kept.append(value) }
        }
        return kept
    }
}

extension Value {
    /// Creates a value from the result of ``anyValue``. Returns `nil` for an object.
    fileprivate init?(plain value: Any) {
        switch value {
        case let value as Bool: self = .boolean(value)
        case let value as Int64: self = .integer(value)
        case let value as Double: self = .double(value)
        case let value as Float: self = .float(value)
        default: self.init(any: value, as: .undefined)
        }
    }

    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .double, .float, .decimal: true
        default: false
        }
    }

    fileprivate var isOrdered: Bool {
        switch self {
        case .string, .date, .boolean: true
        default: isNumber
        }
    }
}
