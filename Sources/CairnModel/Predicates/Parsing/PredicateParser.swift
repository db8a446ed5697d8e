import Foundation

/// Reads a predicate's text by operator precedence: `OR` < `AND` < `NOT` < comparison <
/// `+ -` < `* /` < `**`.
///
/// Predicates and expressions are read by one procedure, because a parenthesis may open either;
/// so nothing is read twice. The depth of what is built is bounded, and with it the recursion of
/// everything that later walks it.
struct PredicateParser {
    /// What was read, how deep it is, and the first of its tokens.
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

    /// How strongly an operator binds.
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

    /// - Throws: `.syntax`, `.wrongArgumentCount`.
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

    /// Reads the whole text as a predicate.
    ///
    /// - Throws: `.syntax`, `.tooDeep`, `.wrongArgument`, `.unsupported`.
    mutating func wholePredicate() throws(FetchPredicateError) -> FetchPredicate {
        let parsed = try parse(.or)
        let predicate = try predicate(parsed)
        guard token.kind == .end else { try fail(expected: "AND, OR or the end") }
        return predicate
    }

    /// Reads the whole text as an expression, as derived attributes have one.
    ///
    /// - Throws: as ``wholePredicate()``.
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

    /// All operands of a chain become one flat list.
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
        // Left to right, but a power of a power from the right.
        let right = try parse(
            power == .additive ? .multiplicative : .exponent)
        return Parsed(
            node: .expression(.function(name.rawValue, [operand, try expression(right)])),
            depth: max(left.depth, right.depth) + 1, first: left.first)
    }

    /// What stands before operators: `NOT`, `ANY` and its kin, a sign, or an operand.
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

    // MARK: Kinds and failures

    var token: PredicateToken { tokens[min(next, tokens.count - 1)] }

    func predicate(_ parsed: Parsed) throws(FetchPredicateError) -> FetchPredicate {
        if case .predicate(let predicate) = parsed.node { return predicate }
        try fail(expected: "a comparison operator")
    }

    func expression(_ parsed: Parsed) throws(FetchPredicateError) -> FetchExpression {
        if case .expression(let expression) = parsed.node { return expression }
        try fail(at: parsed.first, found: "a condition", expected: "a value or a key path")
    }

    /// Throws a syntax error at a token, or else at the next one.
    ///
    /// Throws instead of returning the error: its position is counted from the start of the text, which
    /// may happen once for a text, and not once for each token.
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

    /// Steps over the symbol if it is next.
    mutating func take(_ symbol: PredicateToken.Symbol) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        next += 1
        return true
    }

    /// Returns the argument of the next placeholder, and its index among the arguments.
    mutating func takeArgument() -> (FetchExpression, index: Int) {
        defer {
            next += 1
            argumentsTaken += 1
        }
        return (arguments[argumentsTaken].predicateExpression, argumentsTaken)
    }
}

extension Value {
    /// The number with the other sign; a magnitude of 2⁶³ becomes the least integer.
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
