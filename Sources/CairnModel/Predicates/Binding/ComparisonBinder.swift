/// Checks that the two sides of a comparison are compatible, and converts constants to the right type.
struct ComparisonBinder {
    private let source: PredicateComparison
    private var left: BoundExpression
    private var right: BoundExpression
    private var `operator`: PredicateComparison.Operator

    init(_ source: PredicateComparison, _ left: BoundExpression, _ right: BoundExpression) {
        self.source = source
        self.left = left
        self.right = right
        self.operator = source.operator
    }

    mutating func bind() throws(FetchPredicateError) -> BoundComparison {
        normalise()
        try checkLeft()
        switch `operator` {
        case .in: try bindMembership()
        case .between: try bindRange()
        case .beginsWith, .endsWith, .contains, .like, .matches: try bindText()
        default: try bindSides()
        }
        return BoundComparison(
            left, `operator`, right, modifier: source.modifier, options: options)
    }

    /// Exchanges the sides and the operator if necessary. `IN` has its collection on the right, and
    /// `CONTAINS` has the text that is searched on the left.
    private mutating func normalise() {
        guard source.modifier == .direct else { return }
        if `operator` == .contains, left.isCollection || left.isList {
            `operator` = .in
            swap(&left, &right)
        } else if `operator` == .in, !right.isCollection, !right.isList, right.type == .string {
            `operator` = .contains
            swap(&left, &right)
        }
    }

    /// The options that have an effect. `[n]`, and any options on values that are not text, have none.
    private var options: PredicateComparison.Options {
        let type = left.type ?? right.type
        guard type == nil || type == .string, !source.options.contains(.normalized) else {
            return []
        }
        return source.options
    }

    // MARK: Shapes

    private func checkLeft() throws(FetchPredicateError) {
        if left.isList { throw mismatch("the left side cannot be a list") }
        if source.modifier == .direct, left.isCollection {
            throw mismatch(
                "the key path on the left leads over a to-many relationship; use ANY, ALL or NONE, a"
                    + " collection operator such as @count, or SUBQUERY")
        }
        if source.modifier != .direct, !left.isCollection {
            throw mismatch(
                "ANY, ALL and NONE need a key path over a to-many relationship on the left")
        }
    }

    private func checkSingleRight() throws(FetchPredicateError) {
        if right.isList { throw mismatch("only IN and BETWEEN can have a list on the right") }
        if right.isCollection {
            throw mismatch("the key path on the right cannot lead over a to-many relationship")
        }
    }

    // MARK: Operators

    private mutating func bindSides() throws(FetchPredicateError) {
        try checkSingleRight()
        try Self.reconcile(&left, &right, in: source)
        if `operator` != .equal, `operator` != .notEqual { try checkOrder() }
    }

    private func checkOrder() throws(FetchPredicateError) {
        if let type = left.type ?? right.type, !type.isOrdered {
            throw mismatch("the values have no order")
        }
    }

    private mutating func bindMembership() throws(FetchPredicateError) {
        if case .list(var items) = right {
            for index in items.indices {
                guard !items[index].isList, !items[index].isCollection else {
                    throw mismatch("the elements of a list must be single values")
                }
                try Self.reconcile(&left, &items[index], in: source)
            }
            right = .list(items)
        } else if right.isCollection {
            try Self.reconcile(&left, &right, in: source)
        } else {
            throw mismatch("IN needs a list, a to-many relationship or a string on the right")
        }
    }

    private mutating func bindRange() throws(FetchPredicateError) {
        guard case .list(var bounds) = right, bounds.count == 2 else {
            throw mismatch("BETWEEN needs a list of two bounds on the right")
        }
        for index in bounds.indices {
            guard !bounds[index].isList, !bounds[index].isCollection else {
                throw mismatch("the bounds of BETWEEN must be single values")
            }
            try Self.reconcile(&left, &bounds[index], in: source)
        }
        right = .list(bounds)
        try checkOrder()
    }

    private mutating func bindText() throws(FetchPredicateError) {
        try checkSingleRight()
        try Self.reconcile(&left, &right, in: source)
        for type in [left.type, right.type].compactMap(\.self) where type != .string {
            throw mismatch("\(`operator`) can only compare strings")
        }
        guard `operator` == .matches else { return }
        switch right {
        case .constant(.string(let pattern)): _ = try TextExpression(pattern, options)
        case .constant(.null): break
        default:
            throw .unsupported(
                expression: source.description,
                advice: "The regular expression of MATCHES must be a constant.")
        }
    }

    // MARK: Types

    /// Converts a constant to the type of the other side, or checks that the two types are comparable.
    ///
    /// - Parameter whole: The expression that an error names. It is described only if an error is thrown,
    ///   because describing a long list costs as much as binding it, and this is called for each element.
    static func reconcile(
        _ left: inout BoundExpression, _ right: inout BoundExpression,
        in whole: some CustomStringConvertible
    ) throws(FetchPredicateError) {
        StepCounter.report(1)
        // An object is compared with the object to which a reference leads, and a value with its key.
        if right.type == .objectID { left = left.withReferencedObject }
        if left.type == .objectID { right = right.withReferencedObject }
        guard let leftType = left.type, let rightType = right.type else { return }
        switch (left, right) {
        case (.constant(let value), _) where !right.isConstant:
            left = .constant(try coerce(value, rightType, whole))
        case (_, .constant(let value)) where !left.isConstant:
            right = .constant(try coerce(value, leftType, whole))
        default:
            guard ComparisonClass(leftType) == ComparisonClass(rightType) else {
                throw .typeMismatch(
                    expression: whole.description,
                    detail:
                        "values of type \(leftType.sourceName) cannot be compared with values of type"
                        + " \(rightType.sourceName)")
            }
        }
        if leftType == .composite || rightType == .composite {
            throw .unsupported(
                expression: whole.description,
                advice: "Compare the elements of the composite one by one.")
        }
    }

    private static func coerce(
        _ value: Value, _ type: AttributeType, _ whole: some CustomStringConvertible
    ) throws(FetchPredicateError) -> Value {
        if let coerced = ConstantCoercion.coerce(value, to: type) { return coerced }
        let own = value.type.map(\.sourceName) ?? "nil"
        throw .typeMismatch(
            expression: whole.description,
            detail: "a constant of type \(own) cannot be compared with values of"
                + " type \(type.sourceName)")
    }

    private func mismatch(_ detail: String) -> FetchPredicateError {
        .typeMismatch(expression: source.description, detail: detail)
    }
}

extension BoundExpression {
    fileprivate var isList: Bool { if case .list = self { true } else { false } }
    fileprivate var isConstant: Bool { if case .constant = self { true } else { false } }
    fileprivate var withReferencedObject: BoundExpression {
        if case .path(let path) = self { .path(path.toReferencedObject ?? path) } else { self }
    }
}
