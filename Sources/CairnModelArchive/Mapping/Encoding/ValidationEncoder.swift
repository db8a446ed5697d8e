import CairnModel

/// Compiles validation rules to predicates and the error codes that belong to them.
enum ValidationEncoder {
    private typealias Code = ValidationDecoder.Code

    static func compiled(_ rule: ValidationRule) -> (predicate: FetchPredicate, warning: Value) {
        switch rule {
        case .minimum(.date(let date)):
            let seconds = Value.double(date.timeIntervalSinceReferenceDate)
            return (
                comparison(.keyPath([dateKey]), .greaterThanOrEqual, seconds),
                code(Code.dateTooSoon)
            )
        case .maximum(.date(let date)):
            let seconds = Value.double(date.timeIntervalSinceReferenceDate)
            return (
                comparison(.keyPath([dateKey]), .lessThanOrEqual, seconds), code(Code.dateTooLate)
            )
        case .minimum(let bound):
            return (
                comparison(.evaluatedObject, .greaterThanOrEqual, bound),
                code(Code.numberTooSmall)
            )
        case .maximum(let bound):
            return (
                comparison(.evaluatedObject, .lessThanOrEqual, bound), code(Code.numberTooLarge)
            )
        case .minimumLength(let count):
            let count = Value.integer(Int64(count))
            return (
                comparison(.keyPath(["length"]), .greaterThanOrEqual, count),
                code(Code.stringTooShort)
            )
        case .maximumLength(let count):
            let count = Value.integer(Int64(count))
            return (
                comparison(.keyPath(["length"]), .lessThanOrEqual, count),
                code(Code.stringTooLong)
            )
        case .matches(let pattern):
            return (
                comparison(.evaluatedObject, .matches, .string(pattern)),
                code(Code.patternMismatch)
            )
        case .predicate(let predicate, let warning):
            return (predicate, Int64(warning).map(Value.integer) ?? .string(warning))
        }
    }

    private static let dateKey = "timeIntervalSinceReferenceDate"

    private static func code(_ code: Int) -> Value { .integer(Int64(code)) }

    private static func comparison(
        _ left: FetchExpression, _ operator: PredicateComparison.Operator, _ right: Value
    ) -> FetchPredicate {
        .comparison(PredicateComparison(left, `operator`, .constant(right)))
    }
}
