import CairnModel
import CairnStack
import Foundation

// The translation of each kind of expression, in the order of Foundation's documentation. All other kinds are
// refused.

private typealias Term = SwiftPredicateReader.Term

// MARK: Variables, constants and key paths

extension PredicateExpressions.Variable: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        try reader.variable(key, self)
    }
}

extension PredicateExpressions.Value: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        try reader.constant(value, self)
    }
}

extension PredicateExpressions.NilLiteral: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        .expression(.constant(.null))
    }
}

extension PredicateExpressions.KeyPath: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        try reader.follow(keyPath, from: try reader.term(root), self)
    }
}

// MARK: Logic

extension PredicateExpressions.Conjunction: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        .predicate(.and([try reader.predicate(lhs), try reader.predicate(rhs)]))
    }
}

extension PredicateExpressions.Disjunction: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        .predicate(.or([try reader.predicate(lhs), try reader.predicate(rhs)]))
    }
}

extension PredicateExpressions.Negation: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        .predicate(.not(try reader.predicate(wrapped)))
    }
}

extension PredicateExpressions.Conditional: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        let test = try reader.predicate(self.test)
        switch (try reader.term(trueBranch), try reader.term(falseBranch)) {
        case (.expression(let then), .expression(let otherwise)):
            return .expression(.conditional(test, then: then, otherwise: otherwise))
        case (.predicate(let then), .predicate(let otherwise)):
            return .predicate(.or([.and([test, then]), .and([.not(test), otherwise])]))
        default: throw SwiftPredicateReader.unsupported(self)
        }
    }
}

// MARK: Comparisons

extension PredicateExpressions.Equal: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        .predicate(try reader.equality(try reader.term(lhs), try reader.term(rhs), self))
    }
}

extension PredicateExpressions.NotEqual: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        .predicate(.not(try reader.equality(try reader.term(lhs), try reader.term(rhs), self)))
    }
}

extension PredicateExpressions.Comparison: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        let comparison: PredicateComparison.Operator =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqual
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqual
            @unknown default: throw SwiftPredicateReader.unsupported(self)
            }
        return .predicate(
            .comparison(
                PredicateComparison(try reader.value(lhs), comparison, try reader.value(rhs))))
    }
}

extension PredicateExpressions.RangeExpressionContains: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        guard case .range(let lower, let upper, let includesUpper) = try reader.term(range) else {
            throw SwiftPredicateReader.unsupported(self)
        }
        let element = try reader.value(self.element)
        return .predicate(
            .and([
                .comparison(PredicateComparison(element, .greaterThanOrEqual, lower)),
                .comparison(
                    PredicateComparison(
                        element, includesUpper ? .lessThanOrEqual : .lessThan, upper)),
            ]))
    }
}

extension PredicateExpressions.Range: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        .range(try reader.value(lower), try reader.value(upper), includesUpper: false)
    }
}

extension PredicateExpressions.ClosedRange: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        .range(try reader.value(lower), try reader.value(upper), includesUpper: true)
    }
}

// MARK: Optional values

extension PredicateExpressions.ForcedUnwrap: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        try reader.term(inner)
    }
}

extension PredicateExpressions.OptionalFlatMap: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        let wrapped = try reader.value(self.wrapped)
        let result = try reader.reading(variable.key, as: .expression(wrapped)) {
            reader throws(GraphError) in try reader.term(transform)
        }
        guard case .predicate(let predicate) = result else { return result }
        let presence = PredicateComparison(wrapped, .notEqual, .constant(.null))
        return .optionalPredicate(predicate, presence: .comparison(presence))
    }
}

extension PredicateExpressions.NilCoalesce: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        switch (try reader.term(lhs), try reader.term(rhs)) {
        case (.expression(let value), .expression(let otherwise)):
            let isNil = PredicateComparison(value, .equal, .constant(.null))
            return .expression(
                .conditional(.comparison(isNil), then: otherwise, otherwise: value))
        case (
            .optionalPredicate(let predicate, let presence),
            .expression(.constant(.boolean(let other)))
        ):
            return .predicate(
                other
                    ? .or([.not(presence), predicate]) : .and([presence, predicate]))
        default: throw SwiftPredicateReader.unsupported(self)
        }
    }
}

// MARK: Arithmetic

extension PredicateExpressions.Arithmetic: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        let function: PredicateFunction =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw SwiftPredicateReader.unsupported(self)
            }
        return .expression(try reader.call(function, lhs, rhs))
    }
}

extension PredicateExpressions.FloatDivision: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        .expression(try reader.call(.divide, lhs, rhs))
    }
}

extension PredicateExpressions.IntDivision: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        .expression(try reader.call(.divide, lhs, rhs))
    }
}

extension PredicateExpressions.IntRemainder: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        .expression(try reader.call(.modulus, lhs, rhs))
    }
}

extension PredicateExpressions.UnaryMinus: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        .expression(
            .function(
                PredicateFunction.subtract.rawValue,
                [.constant(.integer(0)), try reader.value(wrapped)]))
    }
}

// MARK: Sequences

extension PredicateExpressions.SequenceContains: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        let element = try reader.value(self.element)
        switch try reader.term(sequence) {
        case .constants(let constants):
            return .predicate(.comparison(PredicateComparison(element, .in, .list(constants))))
        case .expression(let members):
            return .predicate(
                .comparison(PredicateComparison(members, .equal, element, modifier: .any)))
        default: throw SwiftPredicateReader.unsupported(self)
        }
    }
}

extension PredicateExpressions.SequenceContainsWhere: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        if case .constants(let constants) = try reader.term(sequence) {
            return .predicate(
                .or(try reader.conditions(test, on: constants, variable.key)))
        }
        let (members, name, condition) = try reader.members(of: sequence, where: test, variable.key)
        return .predicate(.isEmpty(members, name, condition, is: false))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        if case .constants(let constants) = try reader.term(sequence) {
            return .predicate(
                .and(try reader.conditions(test, on: constants, variable.key)))
        }
        let (members, name, condition) = try reader.members(of: sequence, where: test, variable.key)
        return .predicate(.isEmpty(members, name, .not(condition), is: true))
    }
}

extension PredicateExpressions.Filter: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        let (members, name, condition) = try reader.members(
            of: sequence, where: filter, variable.key)
        return .members(members, variable: name, condition)
    }
}

// MARK: Text

extension PredicateExpressions.CollectionContainsCollection: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        guard Base.Output.self == String.self else { throw SwiftPredicateReader.unsupported(self) }
        return .predicate(
            .comparison(
                PredicateComparison(try reader.value(base), .contains, try reader.value(other))))
    }
}

extension PredicateExpressions.SequenceStartsWith: ReadableExpression {
    package func read(by reader: inout SwiftPredicateReader) throws(GraphError)
        -> SwiftPredicateReader.Term
    {
        guard Base.Output.self == String.self else { throw SwiftPredicateReader.unsupported(self) }
        return .predicate(
            .comparison(
                PredicateComparison(try reader.value(base), .beginsWith, try reader.value(prefix))))
    }
}

// MARK: Shared steps

extension SwiftPredicateReader {
    /// Returns the call of a function of two values.
    fileprivate mutating func call(
        _ function: PredicateFunction, _ left: Any, _ right: Any
    ) throws(GraphError) -> FetchExpression {
        .function(function.rawValue, [try value(left), try value(right)])
    }

    /// Returns the condition that two terms are equal. Both may be conditions themselves.
    fileprivate func equality(
        _ left: Term, _ right: Term, _ expression: Any
    ) throws(GraphError) -> FetchPredicate {
        switch (left, right) {
        case (.expression(let left), .expression(let right)):
            return .comparison(PredicateComparison(left, .equal, right))
        case (.predicate(let condition), .expression(.constant(.boolean(let value)))),
            (.expression(.constant(.boolean(let value))), .predicate(let condition)):
            return value ? condition : .not(condition)
        case (.optionalPredicate(let condition, let presence), .expression(.constant(let value))),
            (.expression(.constant(let value)), .optionalPredicate(let condition, let presence)):
            switch value {
            case .null: return .not(presence)
            case .boolean(true): return .and([presence, condition])
            case .boolean(false): return .and([presence, .not(condition)])
            default: throw Self.unsupported(expression)
            }
        case (.predicate(let left), .predicate(let right)):
            return .or([.and([left, right]), .and([.not(left), .not(right)])])
        default: throw Self.unsupported(expression)
        }
    }

    /// Returns one condition for each constant.
    fileprivate mutating func conditions(
        _ test: Any, on constants: [FetchExpression], _ id: PredicateExpressions.VariableID
    ) throws(GraphError) -> [FetchPredicate] {
        var conditions: [FetchPredicate] = []
        for constant in constants {
            conditions.append(
                try reading(id, as: .expression(constant)) { reader throws(GraphError) in
                    try reader.predicate(test)
                })
        }
        return conditions
    }
}

extension FetchPredicate {
    /// Returns the condition that no member meets a condition, or that at least one does if `isEmpty` is
    /// `false`.
    fileprivate static func isEmpty(
        _ members: FetchExpression, _ variable: String, _ condition: FetchPredicate,
        is isEmpty: Bool
    ) -> FetchPredicate {
        let subquery = FetchExpression.subquery(
            collection: members, variable: variable, predicate: condition)
        return .comparison(
            PredicateComparison(
                .keyPathOf(subquery, ["@count"]), isEmpty ? .equal : .greaterThan,
                .constant(.integer(0))))
    }
}
