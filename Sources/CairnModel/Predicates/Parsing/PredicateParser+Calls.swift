extension PredicateParser {
    /// Reads the arguments of a call. The next token is `(`.
    mutating func call(of name: String, first: Int) throws(FetchPredicateError) -> Parsed {
        let open = next
        next += 1
        switch name.lowercased() {
        case "subquery": return try subquery(first: first)
        case "ternary": return try conditional(first: first)
        case "fetch":
            throw .unsupported(
                expression: "FETCH(…)",
                advice: "Run the inner fetch first and pass its result as an argument.")
        default: break
        }
        let (arguments, depth) = try callArguments()
        let expression: FetchExpression
        switch name.lowercased() {
        case "cast": expression = try cast(arguments, open: open)
        case "function": expression = try selectorCall(arguments, open: open)
        default:
            // `lowercase(x)` means `lowercase:(x)`.
            let selector = PredicateFunction(rawValue: name.lowercased() + ":")?.rawValue
            expression = .function(selector ?? name, arguments)
        }
        return Parsed(node: .expression(expression), depth: depth + 1, first: first)
    }

    private mutating func callArguments() throws(FetchPredicateError) -> ([FetchExpression], Int) {
        var arguments: [FetchExpression] = []
        var depth = 0
        if take(.closeParenthesis) { return ([], 0) }
        repeat {
            let argument = try parse(.additive)
            arguments.append(try expression(argument))
            depth = max(depth, argument.depth)
        } while take(.comma)
        try expect(.closeParenthesis)
        return (arguments, depth)
    }

    /// Reads `SUBQUERY(collection, $variable, predicate)`.
    private mutating func subquery(first: Int) throws(FetchPredicateError) -> Parsed {
        let collection = try parse(.additive)
        let collectionExpression = try expression(collection)
        try expect(.comma)
        guard case .variable(let variable) = token.kind else {
            try fail(expected: "a variable: $name")
        }
        next += 1
        try expect(.comma)
        let condition = try parse(.or)
        let subquery = FetchExpression.subquery(
            collection: collectionExpression, variable: variable,
            predicate: try predicate(condition))
        try expect(.closeParenthesis)
        return Parsed(
            node: .expression(subquery), depth: max(collection.depth, condition.depth) + 1,
            first: first)
    }

    /// Reads `TERNARY(condition, then, otherwise)`.
    private mutating func conditional(first: Int) throws(FetchPredicateError) -> Parsed {
        let condition = try parse(.or)
        let test = try predicate(condition)
        try expect(.comma)
        let then = try parse(.additive)
        let thenExpression = try expression(then)
        try expect(.comma)
        let otherwise = try parse(.additive)
        let expression = FetchExpression.conditional(
            test, then: thenExpression, otherwise: try expression(otherwise))
        try expect(.closeParenthesis)
        return Parsed(
            node: .expression(expression),
            depth: max(condition.depth, then.depth, otherwise.depth) + 1, first: first)
    }

    /// Converts the arguments of `CAST(value, "type")`. A constant is cast immediately.
    private func cast(
        _ arguments: [FetchExpression], open: Int
    ) throws(FetchPredicateError) -> FetchExpression {
        guard arguments.count == 2, case .constant(.string(let typeName)) = arguments[1],
            let type = PredicateCast(name: typeName)
        else {
            try fail(
                at: open,
                expected: "(value, \"type\") with one of the types "
                    + PredicateCast.allCases.map(\.rawValue).joined(separator: ", "))
        }
        guard case .constant(let value) = arguments[0] else {
            return .function("CAST", [arguments[0], .constant(.string(type.rawValue))])
        }
        guard let converted = type.convert(value) else {
            throw .typeMismatch(
                expression: "CAST(\(arguments[0]), \"\(typeName)\")",
                detail: "the value cannot be converted to \(type.rawValue)")
        }
        return .constant(converted)
    }

    /// Converts the arguments of `FUNCTION(operand, "selector:", argument…)`. The operand becomes the first
    /// argument.
    private func selectorCall(
        _ arguments: [FetchExpression], open: Int
    ) throws(FetchPredicateError) -> FetchExpression {
        guard arguments.count >= 2, case .constant(.string(let selector)) = arguments[1],
            selector.isPredicateSelector
        else { try fail(at: open, expected: "(operand, \"selector:\", arguments…)") }
        return .function(selector, [arguments[0]] + arguments.dropFirst(2))
    }
}

extension String {
    /// Whether the string is a name, or a sequence of names that are each followed by a colon.
    fileprivate var isPredicateSelector: Bool {
        let parts = split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        return parts.first?.isPredicateName == true
            && parts.dropFirst().allSatisfy { $0.isEmpty || $0.isPredicateName }
    }
}
