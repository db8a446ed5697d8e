import CairnModel
import Foundation

extension PredicateTranslator {
    mutating func condition(
        _ comparison: BoundComparison, _ truth: SQLTruth
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
        _ left: SQLOperand, _ comparison: BoundComparison, _ truth: SQLTruth
    ) throws(Untranslatable) -> SQLText {
        let options = comparison.options
        switch comparison.operator {
        case .equal:
            return try equality(left, try operand(comparison.right), options, truth)
        case .notEqual:
            return "(NOT \(try equality(left, try operand(comparison.right), options, .twoValued)))"
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            return try order(
                left, comparison.operator, try operand(comparison.right), options, truth)
        case .in: return try membership(of: left, in: comparison.right, options, truth)
        case .between: return try between(left, comparison.right, options, truth)
        case .like, .matches, .beginsWith, .endsWith, .contains:
            return try textCondition(left, comparison, truth)
        }
    }

    /// Translates `LIKE`, `MATCHES`, `BEGINSWITH`, `ENDSWITH` and `CONTAINS` on text.
    private mutating func textCondition(
        _ left: SQLOperand, _ comparison: BoundComparison, _ truth: SQLTruth
    ) throws(Untranslatable) -> SQLText {
        let right = try operand(comparison.right)
        if left.isNull || right.isNull { return Dialect.constant(false) }
        guard case .expression(let text, .text) = left else { throw Untranslatable() }
        return Self.known(
            try Dialect.textCondition(comparison.operator, text, right, comparison.options), truth)
    }

    // MARK: Equality

    /// Translates an equality in which `nil` equals only `nil`.
    func equality(
        _ left: SQLOperand, _ right: SQLOperand, _ options: PredicateComparison.Options,
        _ truth: SQLTruth
    ) throws(Untranslatable) -> SQLText {
        switch (left, right) {
        case (.null, .null): return Dialect.constant(true)
        case (.null, .expression(let sql, _)), (.expression(let sql, _), .null):
            return "(\(sql) IS NULL)"
        case (.expression(let sql, let kind), .constant(let value)),
            (.constant(let value), .expression(let sql, let kind)):
            guard let parameter = try parameter(value, kind, options) else {
                return Dialect.constant(false)
            }
            return Dialect.equality(
                try folded(sql, kind, options), kind, parameter: parameter, truth)
        case (.expression(let left, let kind), .expression(let right, let other)):
            guard Dialect.compares(kind, with: other) else { throw Untranslatable() }
            return Dialect.equality(
                try folded(left, kind, options), try folded(right, other, options), kind)
        case (.constant, .constant), (.null, .constant), (.constant, .null):
            throw Untranslatable()
        }
    }

    /// Returns the parameter for a constant, or `nil` for an object that cannot be in this store: of another store, or
    /// not saved yet.
    private func parameter(
        _ value: Value, _ kind: SQLOperand.Kind, _ options: PredicateComparison.Options
    ) throws(Untranslatable) -> SQLText? {
        if case .objectID(let id) = value, case .object(let root) = kind {
            return id.store == dialect.store && id.rootEntity == root
                ? "\(bind: .integer(id.key))" : nil
        }
        return try Dialect.parameter(Self.folded(value, options), for: kind)
    }

    // MARK: Order

    private func order(
        _ left: SQLOperand, _ comparison: PredicateComparison.Operator, _ right: SQLOperand,
        _ options: PredicateComparison.Options, _ truth: SQLTruth
    ) throws(Untranslatable) -> SQLText {
        switch (left, right) {
        case (.null, _), (_, .null): return Dialect.constant(false)
        case (.constant, .expression):
            return try order(right, comparison.reversed, left, options, truth)
        case (.expression(let sql, .object(let root)), .constant(.objectID(let id))):
            return Self.known(try order(sql, root, comparison, id), truth)
        case (.expression(let sql, let kind), .constant(let value))
        where kind.isOrdered && !value.isNotANumber:
            return Self.known(
                try Dialect.order(
                    try folded(sql, kind, options), comparison,
                    try Dialect.parameter(Self.folded(value, options), for: kind), kind,
                    isConstant: true), truth)
        case (.expression(let left, let kind), .expression(let right, let other))
        where kind.isOrdered && Dialect.compares(kind, with: other):
            return Self.known(
                try Dialect.order(
                    try folded(left, kind, options), comparison,
                    try folded(right, other, options), kind, isConstant: false), truth)
        default: throw Untranslatable()
        }
    }

    /// Compares an object's key with that of another object. Objects are ordered by root entity, key and store.
    private func order(
        _ sql: SQLText, _ root: EntityNumber, _ symbol: PredicateComparison.Operator, _ id: ObjectID
    ) throws(Untranslatable) -> SQLText {
        guard id.rootEntity == root, !id.isTemporary else { throw Untranslatable() }
        // Among equal keys, the stores decide.
        let symbol: PredicateComparison.Operator =
            switch (symbol, id.store == dialect.store, dialect.store.rawValue < id.store.rawValue) {
            case (_, true, _): symbol
            case (.lessThan, _, let isBefore), (.lessThanOrEqual, _, let isBefore):
                isBefore ? .lessThanOrEqual : .lessThan
            case (_, _, let isBefore): isBefore ? .greaterThan : .greaterThanOrEqual
            }
        return "\(sql)\(symbol.sql)\(bind: .integer(id.key))"
    }

    private mutating func between(
        _ value: SQLOperand, _ bounds: BoundExpression, _ options: PredicateComparison.Options,
        _ truth: SQLTruth
    ) throws(Untranslatable) -> SQLText {
        guard case .list(let bounds) = bounds, bounds.count == 2 else { throw Untranslatable() }
        let (low, high) = (try operand(bounds[0]), try operand(bounds[1]))
        if value.isNull || low.isNull || high.isNull { return Dialect.constant(false) }
        let isAbove = try order(value, .greaterThanOrEqual, low, options, truth)
        let isBelow = try order(value, .lessThanOrEqual, high, options, truth)
        return "(\(isAbove) AND \(isBelow))"
    }

    // MARK: Lists

    private mutating func membership(
        of element: SQLOperand, in list: BoundExpression, _ options: PredicateComparison.Options,
        _ truth: SQLTruth
    ) throws(Untranslatable) -> SQLText {
        guard case .list(let elements) = list else { throw Untranslatable() }
        if elements.isEmpty { return Dialect.constant(false) }
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
        _ options: PredicateComparison.Options, _ truth: SQLTruth
    ) throws(Untranslatable) -> SQLText? {
        guard case .expression(let sql, let kind) = element else { return nil }
        var (items, hasNull) = ([SQLText](), false)
        for element in elements {
            guard case .constant(let value) = element else { return nil }
            if value.isNull {
                hasNull = true
            } else if let parameter = try parameter(value, kind, options) {
                items.append(Dialect.items(for: parameter, kind))
            }
        }
        guard !items.isEmpty else {
            return hasNull ? "(\(sql) IS NULL)" : Dialect.constant(false)
        }
        let list = SQLText.joined(items, by: ",")
        let found = Self.known("(\(try folded(sql, kind, options)) IN (\(list)))", truth)
        return hasNull ? "(\(found) OR \(sql) IS NULL)" : found
    }

    // MARK: Forms

    /// Returns the condition with NULL turned into false, if `truth` requires it.
    private static func known(_ condition: SQLText, _ truth: SQLTruth) -> SQLText {
        switch truth {
        case .nullIsFalse: "(\(condition))"
        case .twoValued: Dialect.known(condition)
        }
    }

    /// Returns the expression, folded as the options require.
    private func folded(
        _ sql: SQLText, _ kind: SQLOperand.Kind, _ options: PredicateComparison.Options
    ) throws(Untranslatable) -> SQLText {
        let options = options.subtracting(.normalized)
        return kind == .text && !options.isEmpty ? try Dialect.folded(sql, options) : sql
    }

    /// Returns the constant, folded as the options require.
    private static func folded(_ value: Value, _ options: PredicateComparison.Options) -> Value {
        guard case .string(let text) = value else { return value }
        return .string(PredicateText.folded(text, options))
    }
}

extension SQLOperand {
    fileprivate var isNull: Bool { if case .null = self { true } else { false } }
}

extension PredicateComparison.Operator {
    /// An order in SQL.
    package var sql: SQLText {
        switch self {
        case .lessThan: " < "
        case .lessThanOrEqual: " <= "
        case .greaterThan: " > "
        default: " >= "
        }
    }

    /// The order of the two sides after they have been exchanged.
    fileprivate var reversed: Self {
        switch self {
        case .lessThan: .greaterThan
        case .lessThanOrEqual: .greaterThanOrEqual
        case .greaterThan: .lessThan
        default: .lessThanOrEqual
        }
    }
}

extension Value {
    fileprivate var isNotANumber: Bool {
        switch self {
        case .double(let value): value.isNaN
        case .float(let value): value.isNaN
        case .decimal(let value): value.isNaN
        case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
        default: false
        }
    }
}
