import Foundation

/// Parses a predicate by operator precedence, from weakest to strongest: `OR`, `AND`, `NOT`, comparisons,
/// `+ -`, `* /`, `**`.
///
/// Predicates and expressions are parsed by the same functions, because a parenthesis may open either of
/// them, and no text needs to be parsed twice. The depth of the result is limited, which also limits the
/// recursion of everything that traverses it later.
struct PredicateParser {
    /// A parsed predicate or expression, its depth, and the index of its first token.
    struct Parsed {
        enum Node {
            case predicate(FetchPredicate)
            case expression(FetchExpression)
        }
        var node: Node
        var depth = 1
        var first: Int
        var isParenthesized = false
    }

    /// The precedence of an operator.
    enum Power: Int, Comparable {
        case or, and, not, comparison, additive, multiplicative, exponent, primary
        static func < (left: Power, right: Power) -> Bool { left.rawValue < right.rawValue }
    }

    let text: String
    let tokens: [PredicateToken]
    let arguments: [any PredicateArgument]
    var next = 0
    private var nesting = 0
    private var argumentsTaken = 0

    init(_ text: String, arguments: [any PredicateArgument]) throws(FetchPredicateError) {
        self.text = text
        self.arguments = arguments
        var lexer = PredicateLexer(text)
        tokens = try lexer.tokens()
        let placeholderCount = tokens.count {
            if case .placeholder = $0.kind { true } else { false }
        }
        guard placeholderCount == arguments.count else {
            throw .wrongArgumentCount(
                text: text, placeholders: placeholderCount, arguments: arguments.count)
        }
    }

    /// Parses the whole text as a predicate.
    mutating func wholePredicate() throws(FetchPredicateError) -> FetchPredicate {
        let parsed = try parse(.or)
        let predicate = try predicate(parsed)
        guard token.kind == .end else { try fail(expected: "AND, OR or the end") }
        return predicate
    }

    /// Parses the whole text as an expression, such as that of a derived attribute.
    mutating func wholeExpression() throws(FetchPredicateError) -> FetchExpression {
        let parsed = try parse(.additive)
        let expression = try expression(parsed)
        guard token.kind == .end else { try fail(expected: "the end") }
        return expression
    }

    // MARK: Precedence

    mutating func parse(_ minimum: Power) throws(FetchPredicateError) -> Parsed {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= FetchPredicate.depthLimit else {
            throw .tooDeep(limit: FetchPredicate.depthLimit)
        }
        var left = try checked(prefix())
        while let power = infixPower(), power >= minimum {
            left = try checked(extend(left, power))
        }
        return left
    }

    private func checked(_ parsed: Parsed) throws(FetchPredicateError) -> Parsed {
        guard parsed.depth <= FetchPredicate.depthLimit else {
            throw .tooDeep(limit: FetchPredicate.depthLimit)
        }
        return parsed
    }

    private func infixPower() -> Power? {
        switch token.kind {
        case .symbol(.orTwice): .or
        case .symbol(.andTwice): .and
        case .symbol(.plus), .symbol(.minus): .additive
        case .symbol(.times), .symbol(.dividedBy): .multiplicative
        case .symbol(.power): .exponent
        default:
            switch token.keyword {
            case .or: .or
            case .and: .and
            default: comparisonOperator == nil ? nil : .comparison
            }
        }
    }

    private mutating func extend(
        _ left: Parsed, _ power: Power
    ) throws(FetchPredicateError) -> Parsed {
        switch power {
        case .or, .and: try compound(left, power)
        case .comparison: try comparison(left, modifier: .direct, first: left.first)
        default: try arithmetic(left, power)
        }
    }

    /// Parses a chain of operands of the same operator into one flat list.
    private mutating func compound(
        _ left: Parsed, _ power: Power
    ) throws(FetchPredicateError) -> Parsed {
        var operands = [try predicate(left)]
        var depth = left.depth
        while infixPower() == power {
            next += 1
            let operand = try parse(power == .or ? .and : .not)
            operands.append(try predicate(operand))
            depth = max(depth, operand.depth)
        }
        return Parsed(
            node: .predicate(power == .or ? .or(operands) : .and(operands)),
            depth: depth + 1, first: left.first)
    }

    private mutating func arithmetic(
        _ left: Parsed, _ power: Power
    ) throws(FetchPredicateError) -> Parsed {
        let operand = try expression(left)
        let name: PredicateFunction =
            switch token.kind {
            case .symbol(.plus): .add
            case .symbol(.minus): .subtract
            case .symbol(.times): .multiply
            case .symbol(.dividedBy): .divide
            default: .power
            }
        next += 1
        // Operators are left-associative, except for `**`.
        let right = try parse(
            power == .additive ? .multiplicative : .exponent)
        return Parsed(
            node: .expression(.function(name.rawValue, [operand, try expression(right)])),
            depth: max(left.depth, right.depth) + 1, first: left.first)
    }

    /// Parses a term that begins with a prefix (`NOT`, `ANY`, `SOME`, `ALL`, `NONE` or a sign), or an
    /// operand.
    private mutating func prefix() throws(FetchPredicateError) -> Parsed {
        let first = next
        switch token.keyword {
        case .not: return try negation()
        case .any, .some(.some): return try modified(.any)
        case .all: return try modified(.all)
        case .some(.none): return try modified(.none)
        default: break
        }
        switch token.kind {
        case .symbol(.not): return try negation()
        case .symbol(.minus):
            next += 1
            return try negative(first: first)
        default: return try operand()
        }
    }

    private mutating func negation() throws(FetchPredicateError) -> Parsed {
        let first = next
        next += 1
        let operand = try parse(.comparison)
        return Parsed(
            node: .predicate(.not(try predicate(operand))), depth: operand.depth + 1, first: first)
    }

    private mutating func negative(first: Int) throws(FetchPredicateError) -> Parsed {
        if case .number(let value) = token.kind {
            next += 1
            return Parsed(node: .expression(.constant(value.negated)), first: first)
        }
        let operand = try parse(.primary)
        let zero = FetchExpression.constant(.integer(0))
        return Parsed(
            node: .expression(
                .function(PredicateFunction.subtract.rawValue, [zero, try expression(operand)])),
            depth: operand.depth + 1, first: first)
    }

    // MARK: Conversions and errors

    var token: PredicateToken { tokens[min(next, tokens.count - 1)] }

    func predicate(_ parsed: Parsed) throws(FetchPredicateError) -> FetchPredicate {
        if case .predicate(let predicate) = parsed.node { return predicate }
        try fail(expected: "a comparison operator")
    }

    func expression(_ parsed: Parsed) throws(FetchPredicateError) -> FetchExpression {
        if case .expression(let expression) = parsed.node { return expression }
        try fail(at: parsed.first, found: "a condition", expected: "a value or a key path")
    }

    /// Throws a syntax error at a token. The default is the next token.
    ///
    /// This function throws the error instead of returning it because the position is computed by counting
    /// from the start of the text. That must happen at most once for a text, not once for each token.
    func fail(
        at tokenIndex: Int? = nil, found: String? = nil, expected: String
    ) throws(FetchPredicateError) -> Never {
        let token = tokenIndex.map { tokens[$0] } ?? token
        throw .syntax(
            text: text,
            position: PredicateLexer.characterPosition(of: token.start, in: text.unicodeScalars),
            found: found ?? token.name, expected: expected)
    }

    mutating func expect(_ symbol: PredicateToken.Symbol) throws(FetchPredicateError) {
        guard take(symbol) else { try fail(expected: "“\(symbol.rawValue)”") }
    }

    /// Consumes the next token and returns `true` if it is the symbol. Otherwise, returns `false`.
    mutating func take(_ symbol: PredicateToken.Symbol) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        next += 1
        return true
    }

    /// Returns the argument for the placeholder that is the next token, and the argument's index. Consumes
    /// the token.
    mutating func takeArgument() -> (FetchExpression, index: Int) {
        defer {
            next += 1
            argumentsTaken += 1
        }
        return (arguments[argumentsTaken]._predicateExpression, argumentsTaken)
    }
}

extension Value {
    /// The number with its sign reversed. The decimal 2⁶³ becomes the integer `Int64.min`.
    fileprivate var negated: Value {
        switch self {
        case .integer(let value): .integer(-value)
        case .double(let value): .double(-value)
        case .decimal(let value): -value == Self.leastInteger ? .integer(.min) : .decimal(-value)
        default: self
        }
    }

    private static var leastInteger: Decimal { Decimal(Int64.min) }
}

extension PredicateParser {
    /// The comparison operator that the next token represents, or `nil` if the token is not one.
    var comparisonOperator: PredicateComparison.Operator? {
        switch token.kind {
        case .symbol(.equal), .symbol(.equalTwice): .equal
        case .symbol(.notEqual), .symbol(.lessOrGreater): .notEqual
        case .symbol(.less): .lessThan
        case .symbol(.lessOrEqual), .symbol(.equalOrLess): .lessThanOrEqual
        case .symbol(.greater): .greaterThan
        case .symbol(.greaterOrEqual), .symbol(.equalOrGreater): .greaterThanOrEqual
        default:
            switch token.keyword {
            case .like: .like
            case .matches: .matches
            case .beginsWith: .beginsWith
            case .endsWith: .endsWith
            case .contains: .contains
            case .in: .in
            case .between: .between
            default: nil
            }
        }
    }

    /// Reads the operator, the options and the right side of a comparison.
    mutating func comparison(
        _ left: Parsed, modifier: PredicateComparison.Modifier, first: Int
    ) throws(FetchPredicateError) -> Parsed {
        guard let comparisonOperator else { try fail(expected: "a comparison operator") }
        let leftSide = try expression(left)
        next += 1
        let options = try self.options()
        let right = try parse(.additive)
        var rightSide = try expression(right)
        if comparisonOperator == .in || comparisonOperator == .between, right.isParenthesized,
            case .constant = rightSide
        {
            rightSide = .list([rightSide])
        }
        let comparison = PredicateComparison(
            leftSide, comparisonOperator, rightSide, modifier: modifier, options: options)
        return Parsed(
            node: .predicate(.comparison(comparison)),
            depth: max(left.depth, right.depth) + 1, first: first)
    }

    /// Reads `ANY`, `SOME`, `ALL` or `NONE`, and the comparison that follows it.
    mutating func modified(
        _ modifier: PredicateComparison.Modifier
    ) throws(FetchPredicateError) -> Parsed {
        let first = next
        next += 1
        let left = try parse(.additive)
        return try comparison(left, modifier: modifier, first: first)
    }

    /// Reads options such as `[cd]`. Returns no options if the next token is not a bracket.
    private mutating func options() throws(FetchPredicateError) -> PredicateComparison.Options {
        guard take(.openBracket) else { return [] }
        guard case .word(let letters, isEscaped: false) = token.kind else {
            try fail(expected: "options: c, d, cd or n")
        }
        var options: PredicateComparison.Options = []
        for letter in letters {
            switch letter {
            case "c", "C": options.insert(.caseInsensitive)
            case "d", "D": options.insert(.diacriticInsensitive)
            case "n", "N": options.insert(.normalized)
            case "l", "L":
                throw .unsupported(
                    expression: "[\(letters)]",
                    advice:
                        "Predicates compare strings without a locale. Use [c], [d] or [cd] instead."
                )
            default: try fail(expected: "options: c, d, cd or n")
            }
        }
        next += 1
        try expect(.closeBracket)
        return options
    }
}
