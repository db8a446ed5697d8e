extension FetchPredicate {
    /// How deep a predicate's parts may be nested.
    public static let depthLimit = 200

    /// Reads a predicate from text: `NSPredicate`'s format syntax, described in
    /// `docs/formats/predicates.md`.
    ///
    /// ```swift
    /// try FetchPredicate(format: "%K BEGINSWITH[c] %@ AND year > %d", "title", "the", 1990)
    /// ```
    ///
    /// - Parameter arguments: one for each placeholder, in order. `%K` takes a key path as a
    ///   text, `%d` and its kin an integer, `%f` a number, `%s` a text, `%@` anything.
    /// - Throws: `.syntax`, `.tooDeep`, `.wrongArgumentCount`, `.wrongArgument`, `.typeMismatch`
    ///   for a cast that cannot be made, `.unsupported`.
    public init(
        format: String, arguments: [any PredicateArgument]
    ) throws(FetchPredicateError) {
        var parser = try PredicateParser(format, arguments: arguments)
        self = try parser.wholePredicate()
    }

    /// Reads a predicate from text; see ``init(format:arguments:)``. `nil` stands for no arguments.
    ///
    /// - Throws: as there.
    public init(
        format: String, argumentArray arguments: [any PredicateArgument]?
    ) throws(FetchPredicateError) {
        try self.init(format: format, arguments: arguments ?? [])
    }

    /// Reads a predicate from text; see ``init(format:arguments:)``.
    ///
    /// - Throws: as there.
    public init(
        format: String, _ arguments: any PredicateArgument...
    ) throws(FetchPredicateError) {
        try self.init(format: format, arguments: arguments)
    }
}

extension FetchExpression {
    /// Reads an expression from text, such as a derived attribute's `canonical:(name)`.
    ///
    /// - Throws: as ``FetchPredicate/init(format:arguments:)``.
    public init(
        format: String, arguments: [any PredicateArgument] = []
    ) throws(FetchPredicateError) {
        var parser = try PredicateParser(format, arguments: arguments)
        self = try parser.wholeExpression()
    }
}

extension FetchExpression {
    /// How deep the expression is nested; counting stops just beyond the limit.
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
    /// How deep the predicate is nested; counting stops just beyond the limit.
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
