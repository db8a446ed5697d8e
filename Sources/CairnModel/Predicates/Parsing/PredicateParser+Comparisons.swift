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
