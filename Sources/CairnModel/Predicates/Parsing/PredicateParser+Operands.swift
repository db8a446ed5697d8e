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
