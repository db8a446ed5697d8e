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
