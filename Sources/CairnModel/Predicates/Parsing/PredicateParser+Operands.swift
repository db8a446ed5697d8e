extension PredicateParser {
    /// Reads a value, key path, call or parenthesis, and the dotted names that follow it.
    mutating func operand() throws(FetchPredicateError) -> Parsed {
        let primary = try self.primary()
        guard token.kind == .symbol(.dot) || token.kind == .symbol(.openBracket) else {
            return primary
        }
        let base = try expression(primary)
        let names = try names()
        guard names.count <= FetchPredicate.depthLimit else {
            throw .tooDeep(limit: FetchPredicate.depthLimit)
        }
        guard let path = base.appending(names) else { try fail(expected: "an operator") }
        return Parsed(
            node: .expression(path), depth: primary.depth + 1, first: primary.first)
    }

    /// Reads names such as `.name.@count`.
    private mutating func names() throws(FetchPredicateError) -> [String] {
        var names: [String] = []
        while true {
            if token.kind == .symbol(.openBracket) {
                throw .unsupported(
                    expression: "an index in brackets",
                    advice: "The members of a to-many relationship have no index. Use ANY, ALL or"
                        + " SUBQUERY.")
            }
            guard take(.dot) else { return names }
            switch token.kind {
            case .word(let word, let isEscaped) where isEscaped || !word.isSelector:
                names.append(word)
                next += 1
            case .collectionOperator(let word):
                names.append("@" + word)
                next += 1
            case .placeholder("K"): names += try keyPathArgument()
            default: try fail(expected: "a property's name or a collection operator")
            }
        }
    }

    private mutating func primary() throws(FetchPredicateError) -> Parsed {
        let first = next
        if let value = keywordConstant() {
            next += 1
            return Parsed(node: value, first: first)
        }
        guard token.keyword == nil else {
            try fail(expected: "a value or a key path (write #name for a key of this name)")
        }
        switch token.kind {
        case .word(let word, let isEscaped):
            next += 1
            if !isEscaped, token.kind == .symbol(.openParenthesis) {
                return try call(of: word, first: first)
            }
            guard isEscaped || !word.isSelector else { try fail(expected: "“(”") }
            return Parsed(node: .expression(.keyPath([word])), first: first)
        case .symbol(.openParenthesis): return try parenthesis()
        case .symbol(.openBrace):
            next += 1
            return try list(from: [], depth: 0, closedBy: .closeBrace, first: first)
        case .placeholder(let letter): return try argument(letter)
        default: return try literal()
        }
    }

    private mutating func literal() throws(FetchPredicateError) -> Parsed {
        let expression: FetchExpression
        switch token.kind {
        case .collectionOperator(let word): expression = .keyPath(["@" + word])
        case .variable(let name): expression = .variable(name)
        case .string(let text): expression = .constant(.string(text))
        case .number(let value): expression = .constant(value)
        default: try fail(expected: "a value or a key path")
        }
        next += 1
        return Parsed(node: .expression(expression), first: next - 1)
    }

    private func keywordConstant() -> Parsed.Node? {
        switch token.keyword {
        case .true, .yes: .expression(.constant(.boolean(true)))
        case .false, .no: .expression(.constant(.boolean(false)))
        case .null, .nil: .expression(.constant(.null))
        case .self: .expression(.evaluatedObject)
        case .truePredicate: .predicate(.constant(true))
        case .falsePredicate: .predicate(.constant(false))
        default: nil
        }
    }

    /// Reads a predicate, an expression or a list in parentheses.
    private mutating func parenthesis() throws(FetchPredicateError) -> Parsed {
        let first = next
        next += 1
        if take(.closeParenthesis) {
            return Parsed(node: .expression(.list([])), first: first)
        }
        var inner = try parse(.or)
        if take(.comma) {
            return try list(
                from: [try expression(inner)], depth: inner.depth, closedBy: .closeParenthesis,
                first: first)
        }
        try expect(.closeParenthesis)
        inner.isParenthesized = true
        inner.first = first
        return inner
    }

    private mutating func list(
        from elements: [FetchExpression], depth: Int, closedBy end: PredicateToken.Symbol,
        first: Int
    ) throws(FetchPredicateError) -> Parsed {
        var (elements, depth) = (elements, depth)
        if elements.isEmpty, take(end) {
            return Parsed(node: .expression(.list([])), first: first)
        }
        repeat {
            let element = try parse(.additive)
            elements.append(try expression(element))
            depth = max(depth, element.depth)
        } while take(.comma)
        try expect(end)
        return Parsed(node: .expression(.list(elements)), depth: depth + 1, first: first)
    }

    // MARK: Arguments

    private mutating func argument(_ letter: Character) throws(FetchPredicateError) -> Parsed {
        let first = next
        if letter == "K" {
            return Parsed(node: .expression(.keyPath(try keyPathArgument())), first: first)
        }
        let (value, index) = takeArgument()
        let expected: String? =
            switch (letter, value) {
            case ("@", _), ("s", .constant(.string)), ("d", .constant(.integer)),
                ("d", .constant(.boolean)), ("d", .constant(.decimal)),
                ("f", .constant(.double)), ("f", .constant(.float)), ("f", .constant(.decimal)),
                ("f", .constant(.integer)):
                nil
            case ("s", _): "a string"
            case ("d", _): "an integer"
            default: "a number"
            }
        if let expected {
            throw .wrongArgument(index: index, placeholder: "%\(letter)", expected: expected)
        }
        return Parsed(node: .expression(value), depth: value.depth, first: first)
    }

    /// Returns the names of a `%K` argument. They are used literally and never parsed, so that properties
    /// with any name can be used.
    private mutating func keyPathArgument() throws(FetchPredicateError) -> [String] {
        let (value, index) = takeArgument()
        if case .constant(.string(let text)) = value {
            let names = text.split(separator: ".", omittingEmptySubsequences: false)
                .map(String.init)
            if names.allSatisfy({ !$0.isEmpty && $0 != "@" }) { return names }
        }
        throw .wrongArgument(
            index: index, placeholder: "%K", expected: "a key path: names joined with dots")
    }
}

extension FetchExpression {
    /// Returns the key path extended by more names, or `nil` for a constant or a list.
    fileprivate func appending(_ names: [String]) -> Self? {
        switch self {
        case .keyPath(let path): return .keyPath(path + names)
        case .evaluatedObject: return .keyPath(names)
        case .keyPathOf(let base, let path): return .keyPathOf(base, path + names)
        case .constant, .list: return nil
        default: return .keyPathOf(self, names)
        }
    }
}

extension String {
    /// Whether the word is a selector, which is a sequence of names that are each followed by a colon.
    ///
    /// Searches the UTF-8 bytes, because `contains(":")` is Foundation's search, which takes 4,400
    /// instructions.
    fileprivate var isSelector: Bool { utf8.contains(UInt8(ascii: ":")) }
}

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
        default: try checkSpelling(of: name, first: first)
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

    /// Throws if the name is no function and resembles a call with a syntax of its own. Otherwise, the error would
    /// be about its arguments, which are no values.
    private func checkSpelling(of name: String, first: Int) throws(FetchPredicateError) {
        let special = ["SUBQUERY", "TERNARY", "CAST", "FUNCTION"]
        guard !name.isSelector, !special.contains(name.uppercased()),
            PredicateFunction(rawValue: name) == nil,
            PredicateFunction(rawValue: name.lowercased() + ":") == nil,
            let nearest = NearestName.of(name, among: special),
            ProgramFunction.named(name) == nil
        else { return }
        try fail(at: first, expected: "“\(nearest)”")
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
    var isPredicateSelector: Bool {
        let parts = split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        return parts.first?.isPredicateName == true
            && parts.dropFirst().allSatisfy { $0.isEmpty || $0.isPredicateName }
    }
}
