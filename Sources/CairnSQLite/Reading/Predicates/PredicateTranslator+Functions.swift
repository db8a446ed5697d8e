import CairnModel

extension PredicateTranslator {
    /// Returns a call as SQL, for the functions that SQLite computes as the evaluator does.
    ///
    /// SQLite's own arithmetic turns into doubles where 64 bits do not suffice, divides integers
    /// towards zero, and makes a division by zero and a NaN NULL: all as ours.
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
        // `now` must be the same moment for what remains; the others SQLite lacks or rounds.
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

    /// A number to compute with; dates, which may be kept as integers, as doubles.
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
