import CairnModel

extension PredicateTranslator {
    /// Translates the functions that SQLite computes with the same results as the evaluator.
    ///
    /// SQLite's arithmetic behaves like the evaluator's: it uses doubles if 64 bits do not suffice,
    /// truncates integer division towards zero, and yields NULL for a division by zero or a NaN.
    mutating func call(
        _ function: PredicateFunction, _ arguments: [BoundExpression]
    ) throws(Untranslatable) -> SQLOperand {
        switch function {
        case .add: try arithmetic(arguments, " + ")
        case .subtract: try arithmetic(arguments, " - ")
        case .multiply: try arithmetic(arguments, " * ")
        case .divide: try arithmetic(arguments, " / ")
        case .lowercase: try textCall("cairn_lowercase", arguments, .text)
        case .uppercase: try textCall("cairn_uppercase", arguments, .text)
        case .canonical: try textCall("cairn_canonical", arguments, .text)
        case .length: try textCall("cairn_length", arguments, .integer)
        // `now` must be the same moment in the remaining predicate. SQLite lacks the other
        // functions or
        // rounds their results differently.
        default: throw Untranslatable()
        }
    }

    private mutating func arithmetic(
        _ arguments: [BoundExpression], _ symbol: SQLText
    ) throws(Untranslatable) -> SQLOperand {
        guard arguments.count == 2 else { throw Untranslatable() }
        let (left, right) = (try operand(arguments[0]), try operand(arguments[1]))
        if case .null = left { return .null }
        if case .null = right { return .null }
        let ((a, kind), (b, other)) = (try number(left), try number(right))
        let result: SQLOperand.Kind = kind == .integer && other == .integer ? .integer : .real
        return .expression("(\(a)\(symbol)\(b))", result)
    }

    /// Returns an operand of arithmetic. Dates may be stored as integers, so they are converted to
    /// doubles.
    private func number(
        _ operand: SQLOperand
    ) throws(Untranslatable) -> (SQLText, SQLOperand.Kind) {
        switch operand {
        case .expression(let sql, .integer): return (sql, .integer)
        case .expression(let sql, .real), .expression(let sql, .date):
            return ("CAST(\(sql) AS REAL)", .real)
        case .constant(let value):
            let parameter = try SQLOperand.Kind.real.parameter(value)
            if case .integer = parameter { return ("\(bind: parameter)", .integer) }
            return ("\(bind: parameter)", .real)
        default: throw Untranslatable()
        }
    }

    private mutating func textCall(
        _ function: SQLText, _ arguments: [BoundExpression], _ result: SQLOperand.Kind
    ) throws(Untranslatable) -> SQLOperand {
        guard arguments.count == 1 else { throw Untranslatable() }
        switch try operand(arguments[0]) {
        case .null: return .null
        case .expression(let sql, .text): return .expression("\(function)(\(sql))", result)
        default: throw Untranslatable()
        }
    }
}
