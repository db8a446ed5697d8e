import CairnModel

extension PredicateTranslator {
    mutating func condition(
        _ comparison: BoundComparison, _ truth: Truth
    ) throws(Untranslatable) -> SQLText {
        guard comparison.modifier == .direct else { return try quantified(comparison) }
        if comparison.operator == .in, case .path(let path) = comparison.right, path.isToMany,
            path.collectionOperator == nil
        {
            return try membership(of: comparison.left, in: path, comparison.options)
        }
        return try compare(try operand(comparison.left), comparison, truth)
    }

    /// Compares an operand with the right side of a comparison.
    mutating func compare(
        _ left: SQLOperand, _ comparison: BoundComparison, _ truth: Truth
    ) throws(Untranslatable) -> SQLText {
        let options = comparison.options
        switch comparison.operator {
        case .equal:
            return try equality(left, try operand(comparison.right), options, truth)
        case .notEqual:
            return "(NOT \(try equality(left, try operand(comparison.right), options, .twoValued)))"
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            return try order(left, comparison, truth)
        case .in: return try membership(of: left, in: comparison.right, options, truth)
        case .between: return try between(left, comparison.right, options, truth)
        case .like, .matches, .beginsWith, .endsWith, .contains:
            return try textCondition(left, comparison, truth)
        }
    }

    // MARK: Equality

    /// Translates an equality in which `nil` equals only `nil`.
    func equality(
        _ left: SQLOperand, _ right: SQLOperand, _ options: PredicateComparison.Options,
        _ truth: Truth
    ) throws(Untranslatable) -> SQLText {
        switch (left, right) {
        case (.null, .null): return "1"
        case (.null, .expression(let sql, _)), (.expression(let sql, _), .null):
            return "(\(sql) IS NULL)"
        case (.expression(let sql, let kind), .constant(let value)),
            (.constant(let value), .expression(let sql, let kind)):
            return try equality(sql, kind, value, options, truth)
        case (.expression(let left, let kind), .expression(let right, let other)):
            guard kind.compares(with: other) else { throw Untranslatable() }
            if kind.mayBeText { return "(CAST(\(left) AS BLOB) IS CAST(\(right) AS BLOB))" }
            let (left, right) = (folded(left, kind, options), folded(right, other, options))
            return "(\(left) IS \(right))"
        case (.constant, .constant), (.null, .constant), (.constant, .null):
            throw Untranslatable()
        }
    }

    private func equality(
        _ sql: SQLText, _ kind: SQLOperand.Kind, _ value: Value,
        _ options: PredicateComparison.Options, _ truth: Truth
    ) throws(Untranslatable) -> SQLText {
        if case .objectID(let id) = value, case .object(let root) = kind {
            // An ID of another store, or of an unsaved object, matches no row of this store.
            guard id.store == schema.store, id.rootEntity == root else { return "0" }
            return equality(sql, .integer(id.key), truth)
        }
        let parameter = try kind.parameter(Self.folded(value, options))
        if kind.mayBeText {
            // This form can use an index, in contrast to a cast of the column.
            return Self.known("(\(sql) IN (\(Self.bytesOrText(parameter))))", truth)
        }
        return equality(folded(sql, kind, options), parameter, truth)
    }

    /// Returns a list with the same bytes as a blob and as a text, which SQLite does not regard as equal.
    private static func bytesOrText(_ parameter: SQLText.Parameter) -> SQLText {
        "\(bind: parameter),CAST(\(bind: parameter) AS TEXT)"
    }

    /// Translates an equality with a parameter. `=` can use an index. `IS` yields 0 instead of NULL
    /// if the other side is NULL.
    private func equality(
        _ sql: SQLText, _ parameter: SQLText.Parameter, _ truth: Truth
    ) -> SQLText {
        switch truth {
        case .nullIsFalse: "(\(sql) = \(bind: parameter))"
        case .twoValued: "(\(sql) IS \(bind: parameter))"
        }
    }

    // MARK: Order

    private mutating func order(
        _ left: SQLOperand, _ comparison: BoundComparison, _ truth: Truth
    ) throws(Untranslatable) -> SQLText {
        let right = try operand(comparison.right)
        if case .null = left { return "0" }
        if case .null = right { return "0" }
        if case .expression(let sql, .object(let root)) = left,
            case .constant(.objectID(let id)) = right
        {
            return Self.known(try order(sql, root, comparison.operator, id), truth)
        }
        let (a, b) = try ordered(left, right, comparison.options)
        return Self.known("\(a)\(Self.symbol(comparison.operator))\(b)", truth)
    }

    /// Compares an object's key with that of another object. Objects are ordered by root entity, key and store.
    private func order(
        _ sql: SQLText, _ root: EntityNumber, _ symbol: PredicateComparison.Operator, _ id: ObjectID
    ) throws(Untranslatable) -> SQLText {
        guard id.rootEntity == root, !id.isTemporary else { throw Untranslatable() }
        // Among equal keys, the stores decide.
        let symbol: PredicateComparison.Operator =
            switch (symbol, id.store == schema.store, schema.store.rawValue < id.store.rawValue) {
            case (_, true, _): symbol
            case (.lessThan, _, let isBefore), (.lessThanOrEqual, _, let isBefore):
                isBefore ? .lessThanOrEqual : .lessThan
            case (_, _, let isBefore): isBefore ? .greaterThan : .greaterThanOrEqual
            }
        return "\(sql)\(Self.symbol(symbol))\(bind: .integer(id.key))"
    }

    private static func symbol(_ comparison: PredicateComparison.Operator) -> SQLText {
        switch comparison {
        case .lessThan: " < "
        case .lessThanOrEqual: " <= "
        case .greaterThan: " > "
        default: " >= "
        }
    }

    private mutating func between(
        _ value: SQLOperand, _ bounds: BoundExpression, _ options: PredicateComparison.Options,
        _ truth: Truth
    ) throws(Untranslatable) -> SQLText {
        guard case .list(let bounds) = bounds, bounds.count == 2 else { throw Untranslatable() }
        let (low, high) = (try operand(bounds[0]), try operand(bounds[1]))
        for operand in [value, low, high] {
            if case .null = operand { return "0" }
        }
        let (a, b) = try ordered(low, value, options)
        let (c, d) = try ordered(value, high, options)
        return Self.known("(\(a) <= \(b) AND \(c) <= \(d))", truth)
    }

    /// Returns both sides as SQL expressions that can be ordered.
    private func ordered(
        _ left: SQLOperand, _ right: SQLOperand, _ options: PredicateComparison.Options
    ) throws(Untranslatable) -> (SQLText, SQLText) {
        switch (left, right) {
        case (.expression(let sql, let kind), .constant(let value)) where kind.isOrdered:
            let parameter = try kind.parameter(Self.folded(value, options))
            return (folded(sql, kind, options), "\(bind: parameter)")
        case (.constant(let value), .expression(let sql, let kind)) where kind.isOrdered:
            let parameter = try kind.parameter(Self.folded(value, options))
            return ("\(bind: parameter)", folded(sql, kind, options))
        case (.expression(let left, let kind), .expression(let right, let other))
        where kind.isOrdered && kind.compares(with: other):
            return (folded(left, kind, options), folded(right, other, options))
        default: throw Untranslatable()
        }
    }

    // MARK: Lists

    private mutating func membership(
        of element: SQLOperand, in list: BoundExpression, _ options: PredicateComparison.Options,
        _ truth: Truth
    ) throws(Untranslatable) -> SQLText {
        guard case .list(let elements) = list else { throw Untranslatable() }
        if elements.isEmpty { return "0" }
        if let condition = try constantMembership(of: element, in: elements, options, truth) {
            return condition
        }
        var alternatives: [SQLText] = []
        for other in elements {
            alternatives.append(try equality(element, try operand(other), options, truth))
        }
        return .balanced(alternatives[...], by: " OR ")
    }

    /// Translates a list that contains only constants to `IN`. Returns `nil` for any other list.
    private func constantMembership(
        of element: SQLOperand, in elements: [BoundExpression],
        _ options: PredicateComparison.Options, _ truth: Truth
    ) throws(Untranslatable) -> SQLText? {
        guard case .expression(let sql, let kind) = element else { return nil }
        var (items, hasNull) = ([SQLText](), false)
        for element in elements {
            guard case .constant(let value) = element else { return nil }
            if value.isNull {
                hasNull = true
            } else if let parameter = try parameter(value, kind, options) {
                items.append(
                    kind.mayBeText ? Self.bytesOrText(parameter) : "\(bind: parameter)")
            }
        }
        let list = SQLText.joined(items, by: ",")
        let found = Self.known("(\(folded(sql, kind, options)) IN (\(list)))", truth)
        return hasNull ? "(\(found) OR \(sql) IS NULL)" : found
    }

    /// Returns the parameter for a constant, or `nil` for an object that cannot be in this store.
    private func parameter(
        _ value: Value, _ kind: SQLOperand.Kind, _ options: PredicateComparison.Options
    ) throws(Untranslatable) -> SQLText.Parameter? {
        if case .objectID(let id) = value, case .object(let root) = kind {
            return id.store == schema.store && id.rootEntity == root ? .integer(id.key) : nil
        }
        return try kind.parameter(Self.folded(value, options))
    }

    /// Returns the condition with NULL turned into 0, if `truth` requires it.
    static func known(_ condition: SQLText, _ truth: Truth) -> SQLText {
        switch truth {
        case .nullIsFalse: "(\(condition))"
        case .twoValued: "ifnull(\(condition), 0)"
        }
    }
}
