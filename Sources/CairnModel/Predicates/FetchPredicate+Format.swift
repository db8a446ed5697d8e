extension FetchPredicate {
    /// The maximum nesting depth of a predicate.
    package static let depthLimit = 200

    /// Creates a predicate from text in the format syntax of `NSPredicate`, which is described in
    /// `docs/formats/predicates.md`.
    ///
    /// ```swift
    /// try FetchPredicate(format: "%K BEGINSWITH[c] %@ AND year > %d", "title", "the", 1990)
    /// ```
    ///
    /// - Parameters:
    ///   - format: The text, with a placeholder for each argument. Within quotation marks, `%@` is text and
    ///     not a placeholder.
    ///   - arguments: The values of the placeholders, in order. `%K` takes a key path as a string, `%d` and
    ///     the other integer placeholders take an integer, `%f` a number, `%s` a string, and `%@` any
    ///     argument.
    /// - Throws: `.syntax`, `.tooDeep`, `.wrongArgumentCount`, `.wrongArgument`, `.unsupported`, or
    ///   `.typeMismatch` if a constant cannot be cast.
    public init(
        format: String, arguments: [any PredicateArgument]
    ) throws(FetchPredicateError) {
        var parser = try PredicateParser(format, arguments: arguments)
        self = try parser.wholePredicate()
    }

    /// Creates a predicate from text as ``init(format:arguments:)`` does. `nil` means no arguments.
    ///
    /// - Throws: The errors of ``init(format:arguments:)``.
    public init(
        format: String, argumentArray arguments: [any PredicateArgument]?
    ) throws(FetchPredicateError) {
        try self.init(format: format, arguments: arguments ?? [])
    }

    /// Creates a predicate from text as ``init(format:arguments:)`` does.
    ///
    /// - Throws: The errors of ``init(format:arguments:)``.
    public init(
        format: String, _ arguments: any PredicateArgument...
    ) throws(FetchPredicateError) {
        try self.init(format: format, arguments: arguments)
    }
}

extension FetchExpression {
    /// Creates an expression from text, such as `canonical:(name)` for a derived attribute.
    ///
    /// - Throws: The errors of ``FetchPredicate/init(format:arguments:)``.
    public init(
        format: String, arguments: [any PredicateArgument] = []
    ) throws(FetchPredicateError) {
        var parser = try PredicateParser(format, arguments: arguments)
        self = try parser.wholeExpression()
    }
}

extension FetchExpression {
    /// The nesting depth of the expression. Counting stops just beyond the limit.
    var depth: Int { depth(within: FetchPredicate.depthLimit + 1) }

    fileprivate func depth(within room: Int) -> Int {
        guard room > 1 else { return 1 }
        let deepest: Int =
            switch self {
            case .constant, .keyPath, .evaluatedObject, .variable: 0
            case .list(let items), .function(_, let items):
                items.reduce(0) { max($0, $1.depth(within: room - 1)) }
            case .keyPathOf(let base, _): base.depth(within: room - 1)
            case .subquery(let collection, _, let predicate):
                max(collection.depth(within: room - 1), predicate.depth(within: room - 1))
            case .conditional(let test, let then, let otherwise):
                max(
                    test.depth(within: room - 1), then.depth(within: room - 1),
                    otherwise.depth(within: room - 1))
            }
        return deepest + 1
    }
}

extension FetchPredicate {
    /// The nesting depth of the predicate. Counting stops just beyond the limit.
    var depth: Int { depth(within: Self.depthLimit + 1) }

    fileprivate func depth(within room: Int) -> Int {
        guard room > 1 else { return 1 }
        let deepest: Int =
            switch self {
            case .constant: 0
            case .comparison(let comparison):
                max(
                    comparison.left.depth(within: room - 1),
                    comparison.right.depth(within: room - 1))
            case .and(let parts), .or(let parts):
                parts.reduce(0) { max($0, $1.depth(within: room - 1)) }
            case .not(let part): part.depth(within: room - 1)
            }
        return deepest + 1
    }
}
