/// A predicate that was checked against an entity. Names are resolved to properties, and constants have
/// the type of what they are compared with.
///
/// Engines translate bound predicates, and the evaluator compiles them.
///
/// An object may be compared with another one by an order, though not in the predicates of programs: it is greater if
/// it is sorted after the other by root entity, key and store.
public indirect enum BoundPredicate: Sendable, Hashable {
    /// A predicate that is true for all objects, or false for all objects.
    case constant(Bool)
    /// A comparison of two expressions whose types fit each other.
    case comparison(BoundComparison)
    /// True if all predicates are true, or if there are no predicates.
    case and([BoundPredicate])
    /// True if at least one predicate is true. False if there are no predicates.
    case or([BoundPredicate])
    /// True if the predicate is false. Comparisons are never unknown, so this also applies to `nil` values.
    case not(BoundPredicate)
}

/// A comparison of bound expressions. ``FetchPredicate`` documents its meaning.
public struct BoundComparison: Sendable, Hashable {
    /// The left side, to which the modifier applies.
    public var left: BoundExpression
    /// The operator that compares the sides.
    public var `operator`: PredicateComparison.Operator
    /// The right side. If it is a constant, it already has the type of the left side.
    public var right: BoundExpression
    /// How the values of a to-many on the left are combined. `.direct` for a single value.
    public var modifier: PredicateComparison.Modifier
    /// Options for comparing text. They have no effect on other types.
    public var options: PredicateComparison.Options

    /// Creates a comparison of two sides whose types must fit each other. This is not checked.
    ///
    /// Binding creates the comparisons of a predicate. Engines create comparisons when they split or rewrite
    /// a predicate.
    package init(
        _ left: BoundExpression, _ operator: PredicateComparison.Operator,
        _ right: BoundExpression, modifier: PredicateComparison.Modifier = .direct,
        options: PredicateComparison.Options = []
    ) {
        self.left = left
        self.operator = `operator`
        self.right = right
        self.modifier = modifier
        self.options = options
    }
}

/// One side of a bound comparison.
public indirect enum BoundExpression: Sendable, Hashable {
    /// A constant. In a comparison, it already has the type of the other side.
    case constant(Value)
    /// A list of expressions. In a bound predicate, it occurs only on the right side of `IN` and `BETWEEN`.
    case list([BoundExpression])
    /// The value, the object, or the values that a path from an object leads to.
    case path(BoundPath)
    /// The result of a function for arguments that each have a single value. The number and types of the
    /// arguments fit the function.
    case function(PredicateFunction, [BoundExpression])
    /// The result of a function of the program for arguments that each have a single value. An engine leaves it to
    /// the evaluator.
    case call(ProgramFunction, [BoundExpression])
    /// `SUBQUERY(…).@count`: the number of members that match.
    case subqueryCount(BoundSubquery)
    /// The value of `then` if the predicate is true, otherwise the value of `otherwise`. The two have
    /// compatible types.
    case conditional(BoundPredicate, then: BoundExpression, otherwise: BoundExpression)
}

/// The members of a collection for which a predicate holds.
public struct BoundSubquery: Sendable, Hashable {
    /// The path of the collection. It contains exactly one to-many and ends at objects.
    public var collection: BoundPath
    /// The number of the variable for a member, which is unique within the whole predicate.
    public var variable: Int
    /// The condition on a member. Paths in it start at the member, as ``BoundPath/Start/variable(_:)``, or at
    /// the object that the whole predicate is evaluated for.
    public var predicate: BoundPredicate

    /// Creates a subquery. The parts must be the result of binding, or be rewritten from such parts. This is
    /// not checked.
    package init(collection: BoundPath, variable: Int, predicate: BoundPredicate) {
        self.collection = collection
        self.variable = variable
        self.predicate = predicate
    }
}

extension BoundPredicate {
    /// All paths in the predicate, including those in subqueries. Evaluating the predicate follows them.
    package var paths: [BoundPath] {
        switch self {
        case .constant: []
        case .comparison(let comparison): comparison.left.paths + comparison.right.paths
        case .and(let parts), .or(let parts): parts.flatMap(\.paths)
        case .not(let part): part.paths
        }
    }

    /// The parts that must all hold, including those of nested conjunctions. Contains only the predicate
    /// itself if it is not a conjunction.
    package var conjuncts: [BoundPredicate] {
        if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
    }
}

extension BoundPredicate {
    /// Whether evaluating the predicate follows a reference.
    package var followsReferences: Bool { paths.contains(where: \.followsReference) }

    /// Returns the predicate with each comparison replaced, innermost first. Comparisons in subqueries and in
    /// conditional expressions are also replaced.
    package func replacingComparisons<Failure: Error>(
        _ replacement: (BoundComparison) throws(Failure) -> BoundPredicate
    ) throws(Failure) -> BoundPredicate {
        switch self {
        case .constant: return self
        case .not(let part): return .not(try part.replacingComparisons(replacement))
        case .and(let parts): return .and(try Self.replacingComparisons(of: parts, replacement))
        case .or(let parts): return .or(try Self.replacingComparisons(of: parts, replacement))
        case .comparison(var comparison):
            comparison.left = try comparison.left.replacingComparisons(replacement)
            comparison.right = try comparison.right.replacingComparisons(replacement)
            return try replacement(comparison)
        }
    }

    private static func replacingComparisons<Failure: Error>(
        of parts: [BoundPredicate],
        _ replacement: (BoundComparison) throws(Failure) -> BoundPredicate
    ) throws(Failure) -> [BoundPredicate] {
        var replaced: [BoundPredicate] = []
        for part in parts { replaced.append(try part.replacingComparisons(replacement)) }
        return replaced
    }
}

extension BoundExpression {
    fileprivate func replacingComparisons<Failure: Error>(
        _ replacement: (BoundComparison) throws(Failure) -> BoundPredicate
    ) throws(Failure) -> BoundExpression {
        switch self {
        case .constant, .path: return self
        case .list(let items):
            return .list(try Self.replacingComparisons(of: items, replacement))
        case .function(let function, let arguments):
            return .function(function, try Self.replacingComparisons(of: arguments, replacement))
        case .call(let function, let arguments):
            return .call(function, try Self.replacingComparisons(of: arguments, replacement))
        case .subqueryCount(var subquery):
            subquery.predicate = try subquery.predicate.replacingComparisons(replacement)
            return .subqueryCount(subquery)
        case .conditional(let test, let then, let otherwise):
            return .conditional(
                try test.replacingComparisons(replacement),
                then: try then.replacingComparisons(replacement),
                otherwise: try otherwise.replacingComparisons(replacement))
        }
    }

    private static func replacingComparisons<Failure: Error>(
        of items: [BoundExpression],
        _ replacement: (BoundComparison) throws(Failure) -> BoundPredicate
    ) throws(Failure) -> [BoundExpression] {
        // Most lists are long and contain only constants.
        if items.allSatisfy({ if case .constant = $0 { true } else { false } }) { return items }
        var replaced: [BoundExpression] = []
        for item in items { replaced.append(try item.replacingComparisons(replacement)) }
        return replaced
    }
}

extension BoundExpression {
    /// All paths in the expression, including those in subqueries.
    package var paths: [BoundPath] {
        switch self {
        case .constant: []
        case .path(let path): [path]
        case .list(let items), .function(_, let items), .call(_, let items):
            items.flatMap(\.paths)
        case .subqueryCount(let subquery): subquery.paths
        case .conditional(let test, let then, let otherwise):
            test.paths + then.paths + otherwise.paths
        }
    }
}

extension BoundExpression {
    /// Whether a function of the program is called outside of subqueries.
    var callsProgram: Bool {
        switch self {
        case .call: true
        case .constant, .path, .subqueryCount: false
        case .list(let items), .function(_, let items): items.contains(where: \.callsProgram)
        case .conditional(_, let then, let otherwise): then.callsProgram || otherwise.callsProgram
        }
    }
}

extension BoundSubquery {
    /// The collection and the paths in the predicate. Paths that begin at a member are extended so that they
    /// begin where the collection begins.
    fileprivate var paths: [BoundPath] {
        var collection = collection
        let inner = predicate.paths.map { path in
            guard path.start == .variable(variable) else { return path }
            return BoundPath(
                start: collection.start,
                relationships: collection.relationships + path.relationships, leaf: path.leaf,
                collectionOperator: path.collectionOperator)
        }
        collection.collectionOperator = nil
        return inner + [collection]
    }
}

extension BoundExpression {
    /// The type of the expression's values. It is `.objectID` for objects, and `nil` for the constant `nil`
    /// and for lists.
    ///
    /// For a path that reaches several values, this is the type of each value. An integer result that does
    /// not fit in 64 bits becomes a double even if the type is an integer type.
    public var type: AttributeType? {
        switch self {
        case .constant(let value): value.type
        case .list: nil
        case .path(let path): path.type
        case .function(let function, let arguments):
            function.resultType(of: arguments.map(\.type))
        case .call(let function, _): function.resultType
        case .subqueryCount: .integer64
        case .conditional(_, let then, let otherwise): then.type ?? otherwise.type
        }
    }

    /// Whether the expression has several values, which is true for a to-many path without a collection
    /// operator.
    package var isCollection: Bool {
        if case .path(let path) = self { path.isCollection } else { false }
    }
}

extension BoundPath {
    /// Whether the path has several values.
    package var isCollection: Bool { isToMany && collectionOperator == nil }

    /// The type of the path's value, or of each of its values.
    public var type: AttributeType {
        switch collectionOperator {
        case nil, .min, .max: leafType
        case .count: .integer64
        case .sum: leafType.isInteger ? .integer64 : leafType == .decimal ? .decimal : .double
        case .average: leafType == .decimal ? .decimal : .double
        }
    }
}

extension PredicateFunction {
    /// Returns the type of the result for arguments of these types. Returns `nil` if all arguments are nil.
    func resultType(of arguments: [AttributeType?]) -> AttributeType? {
        switch self {
        case .add, .subtract, .multiply, .divide, .modulus, .absolute, .ceiling, .floor, .truncate,
            .sum:
            Self.arithmeticType(arguments.compactMap(\.self))
        case .average: arguments.contains(.decimal) ? .decimal : .double
        case .squareRoot, .naturalLogarithm, .logarithm, .exponential, .power: .double
        case .lowercase, .uppercase, .canonical: .string
        case .length, .count: .integer64
        case .now: .date
        case .minimum, .maximum: arguments.compactMap(\.self).first
        }
    }

    private static func arithmeticType(_ types: [AttributeType]) -> AttributeType? {
        if types.isEmpty { return nil }
        if types.allSatisfy({ $0.isInteger || $0 == .boolean }) { return .integer64 }
        return types.allSatisfy { $0.isInteger || $0 == .boolean || $0 == .decimal }
            ? .decimal : .double
    }

    /// The class that the arguments must have. `nil` if any class is accepted.
    var argumentClass: ComparisonClass? {
        switch self {
        case .lowercase, .uppercase, .canonical, .length: .text
        case .now, .count, .minimum, .maximum: nil
        case .add, .subtract, .multiply, .divide, .modulus, .power, .absolute, .ceiling, .floor,
            .truncate, .squareRoot, .naturalLogarithm, .logarithm, .exponential, .sum, .average:
            .number
        }
    }
}
