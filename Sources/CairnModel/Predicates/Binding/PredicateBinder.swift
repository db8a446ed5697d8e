import Foundation

/// Resolves names to properties, and converts constants to the types that they are compared with.
struct PredicateBinder {
    let entity: Entity
    /// The variables of the enclosing subqueries: the number of each and the entity of the members.
    var scope: [String: (number: Int, entity: Entity)] = [:]
    private var variableCount = 0
    /// The date that replaces `now()`. If `nil`, `now()` remains a call.
    private let now: Date?
    private let includesTransients: Bool

    /// - Parameter includesTransients: See ``PathResolver/includesTransients``.
    init(_ entity: Entity, now: Date?, includesTransients: Bool = false) {
        self.entity = entity
        self.now = now
        self.includesTransients = includesTransients
    }

    private func resolver(
        _ entity: Entity, start: BoundPath.Start = .evaluatedObject
    ) -> PathResolver {
        PathResolver(entity: entity, start: start, includesTransients: includesTransients)
    }

    mutating func bind(_ predicate: FetchPredicate) throws(FetchPredicateError) -> BoundPredicate {
        switch predicate {
        case .constant(let value): return .constant(value)
        case .not(let part): return .not(try bind(part))
        case .and(let parts): return .and(try bind(parts))
        case .or(let parts): return .or(try bind(parts))
        case .comparison(let comparison):
            let left = try bind(comparison.left)
            let right = try bind(comparison.right)
            var binder = ComparisonBinder(comparison, left, right)
            return .comparison(try binder.bind())
        }
    }

    private mutating func bind(
        _ parts: [FetchPredicate]
    ) throws(FetchPredicateError) -> [BoundPredicate] {
        var bound: [BoundPredicate] = []
        for part in parts { bound.append(try bind(part)) }
        return bound
    }

    mutating func bind(_ expression: FetchExpression) throws(FetchPredicateError) -> BoundExpression
    {
        switch expression {
        case .constant(let value): return .constant(value)
        case .list(let items): return .list(try bind(items))
        case .evaluatedObject: return .path(BoundPath(leaf: .object))
        case .keyPath(let names): return try path(names, resolver(entity))
        case .variable(let name): return try variable(name, [])
        case .keyPathOf(.variable(let name), let names): return try variable(name, names)
        case .keyPathOf(.evaluatedObject, let names):
            return try path(names, resolver(entity))
        case .keyPathOf(let base, let names): return try keyPath(of: base, names, expression)
        case .function(let name, let arguments): return try call(name, arguments, expression)
        case .subquery:
            throw .unsupported(
                expression: expression.description,
                advice: "Only the number of a subquery's objects can be used: SUBQUERY(…).@count.")
        case .conditional(let test, let then, let otherwise):
            return try conditional(test, then, otherwise, expression)
        }
    }

    private mutating func bind(
        _ items: [FetchExpression]
    ) throws(FetchPredicateError) -> [BoundExpression] {
        var bound: [BoundExpression] = []
        for item in items { bound.append(try bind(item)) }
        return bound
    }

    // MARK: Paths

    private func variable(
        _ name: String, _ names: [String]
    ) throws(FetchPredicateError) -> BoundExpression {
        guard let (number, entity) = scope[name] else { throw .unsetVariable(name) }
        return try path(names, resolver(entity, start: .variable(number)))
    }

    /// Binds `name.length` to a function if `name` is a string, and any other key path to a path.
    private func path(
        _ names: [String], _ resolver: PathResolver
    ) throws(FetchPredicateError) -> BoundExpression {
        if names.last == "length", let base = try? resolver.resolve(Array(names.dropLast())),
            base.type == .string, !base.isCollection
        {
            return .function(.length, [.path(base)])
        }
        return .path(try resolver.resolve(names))
    }

    private mutating func keyPath(
        of base: FetchExpression, _ names: [String], _ whole: FetchExpression
    ) throws(FetchPredicateError) -> BoundExpression {
        if case .subquery(let collection, let variable, let predicate) = base, names == ["@count"] {
            return .subqueryCount(try subquery(collection, variable, predicate))
        }
        throw .unsupported(
            expression: whole.description,
            advice: "A key path must begin at the object or at a subquery's variable, or it must be"
                + " SUBQUERY(…).@count.")
    }

    private mutating func subquery(
        _ collection: FetchExpression, _ variable: String, _ predicate: FetchPredicate
    ) throws(FetchPredicateError) -> BoundSubquery {
        guard case .path(let path) = try bind(collection), path.isCollection, path.leaf == .object,
            path.relationships.count(where: \.isToMany) == 1,
            let members = path.relationships.last?.destination
        else {
            throw .typeMismatch(
                expression: "SUBQUERY(\(collection), $\(variable), …)",
                detail: "its collection must be a key path that leads over exactly one to-many"
                    + " relationship and ends with objects")
        }
        let number = variableCount
        variableCount += 1
        let outer = scope[variable]
        scope[variable] = (number, members)
        defer { scope[variable] = outer }
        return BoundSubquery(collection: path, variable: number, predicate: try bind(predicate))
    }

    // MARK: Calls

    private mutating func conditional(
        _ test: FetchPredicate, _ then: FetchExpression, _ otherwise: FetchExpression,
        _ whole: FetchExpression
    ) throws(FetchPredicateError) -> BoundExpression {
        let test = try bind(test)
        var then = try bind(then)
        var otherwise = try bind(otherwise)
        try ComparisonBinder.reconcile(&then, &otherwise, in: whole)
        try requireSingle([then, otherwise], in: whole)
        return .conditional(test, then: then, otherwise: otherwise)
    }

    private mutating func call(
        _ name: String, _ arguments: [FetchExpression], _ whole: FetchExpression
    ) throws(FetchPredicateError) -> BoundExpression {
        if name == "CAST" { return try cast(arguments, whole) }
        guard let function = PredicateFunction(rawValue: name) else {
            if let function = ProgramFunction.named(name) {
                let arguments = try bind(arguments)
                try requireSingle(arguments, in: whole)
                return .call(function, arguments)
            }
            let known = (PredicateFunction.allCases.map(\.rawValue) + ProgramFunction.names)
                .joined(separator: ", ")
            throw .unsupported(
                expression: whole.description,
                advice: "The functions are \(known). ProgramFunction.register adds others.")
        }
        if function == .count, arguments.count == 1,
            case .subquery(let collection, let variable, let predicate) = arguments[0]
        {
            return .subqueryCount(try subquery(collection, variable, predicate))
        }
        var bound = try bind(arguments)
        if let operation = function.summary {
            if let path = try summary(operation, bound, whole) { return .path(path) }
            if bound.count == 1, case .list(let items) = bound[0] { bound = items }
        } else if function.arity != bound.count {
            throw .typeMismatch(
                expression: whole.description,
                detail: "\(name) needs \((function.arity ?? 0).counted("argument"))")
        }
        try check(function, &bound, whole)
        if function == .now, let now { return .constant(.date(now)) }
        return .function(function, bound)
    }

    /// Returns the path for a call such as `sum:(items.price)`, which means `items.@sum.price`. Returns `nil`
    /// if the argument is not a collection.
    private func summary(
        _ operation: BoundPath.CollectionOperator, _ arguments: [BoundExpression],
        _ whole: FetchExpression
    ) throws(FetchPredicateError) -> BoundPath? {
        guard arguments.count == 1, case .path(var path) = arguments[0], path.isCollection else {
            return nil
        }
        path.collectionOperator = operation
        try PathResolver.checkOperator(of: path, in: whole.description)
        return path
    }

    private func check(
        _ function: PredicateFunction, _ arguments: inout [BoundExpression],
        _ whole: FetchExpression
    ) throws(FetchPredicateError) {
        try requireSingle(arguments, in: whole)
        let types = arguments.map(\.type)
        for type in types.compactMap(\.self) {
            if let wanted = function.argumentClass, ComparisonClass(type) != wanted {
                throw .typeMismatch(
                    expression: whole.description,
                    detail: wanted == .text
                        ? "the arguments of \(function.rawValue) must be strings"
                        : "the arguments of \(function.rawValue) must be numbers")
            }
        }
        let classes = Set(types.compactMap { $0.flatMap(ComparisonClass.init) })
        let isOrder = function == .minimum || function == .maximum
        if isOrder, classes.count > 1 || classes.contains(where: { !$0.isOrdered }) {
            throw .typeMismatch(
                expression: whole.description, detail: "the arguments have no common order")
        }
        // A literal next to a decimal becomes a decimal, so that 0.1 is exactly a tenth.
        guard types.contains(.decimal) else { return }
        for (index, argument) in arguments.enumerated() {
            if case .constant(let value) = argument, value.type == .double,
                let decimal = ConstantCoercion.coerce(value, to: .decimal)
            {
                arguments[index] = .constant(decimal)
            }
        }
    }

    private func requireSingle(
        _ expressions: [BoundExpression], in whole: FetchExpression
    ) throws(FetchPredicateError) {
        for expression in expressions {
            if case .list = expression {
                throw .typeMismatch(
                    expression: whole.description,
                    detail: "it contains a list where a single value is needed")
            }
            if expression.isCollection {
                throw .typeMismatch(
                    expression: whole.description,
                    detail: "it contains a to-many relationship where a single value is needed")
            }
        }
    }

    /// Numbers and dates compare with each other without conversion, so a cast between them has no effect.
    private mutating func cast(
        _ arguments: [FetchExpression], _ whole: FetchExpression
    ) throws(FetchPredicateError) -> BoundExpression {
        guard arguments.count == 2, case .constant(.string(let name)) = arguments[1],
            let target = PredicateCast(name: name)
        else {
            throw .typeMismatch(
                expression: whole.description,
                detail: "the arguments of CAST must be a value and the name of a type in quotes")
        }
        let operand = try bind(arguments[0])
        let own = operand.type.flatMap(ComparisonClass.init)
        guard own == nil || own == target.comparisonClass else {
            throw .unsupported(
                expression: whole.description,
                advice: "CAST can only convert between numbers and dates. Compare the value itself."
            )
        }
        return operand
    }
}

extension PredicateCast {
    /// The class of values that the cast's type compares with.
    fileprivate var comparisonClass: ComparisonClass {
        switch self {
        case .number, .double, .float, .decimal, .date: .number
        case .string: .text
        case .uuid: .uuid
        case .uri: .uri
        case .binary: .binary
        case .transformable: .transformable
        case .objectID: .object
        }
    }
}
