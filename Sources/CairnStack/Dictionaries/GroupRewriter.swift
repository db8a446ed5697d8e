import CairnModel

/// Rewrites expressions on objects as expressions on the values of a group. Keys and entries are
/// replaced by their numbers. Summaries are recorded and also replaced by numbers.
struct GroupRewriter {
    /// A summary that an expression contains: its operation and its argument.
    struct Summary: Hashable {
        let operation: BoundPath.CollectionOperator
        let argument: BoundExpression
    }

    let entity: Entity
    /// The names of the keys, in the order of their numbers.
    let keys: [String]
    /// The names of the entries that the expressions may use.
    var entries: [String] = []
    private(set) var summaries: [Summary] = []

    init(entity: Entity, keys: [String]) {
        self.entity = entity
        self.keys = keys
    }

    /// The prefix of names that represent entries until the number of summaries is known.
    static let entryMark = "entry "

    mutating func rewrite(
        _ expression: FetchExpression
    ) throws(FetchPredicateError) -> FetchExpression {
        if let summary = try summary(expression) { return value(number(of: summary)) }
        switch expression {
        case .constant: return expression
        case .list(let items): return .list(try rewrite(items))
        case .keyPath(let names): return try named(names.joined(separator: "."))
        case .variable(let name): return try named(name)
        case .function(let name, let arguments):
            return .function(name, try rewrite(arguments))
        case .conditional(let test, let then, let otherwise):
            return .conditional(
                try rewrite(test), then: try rewrite(then), otherwise: try rewrite(otherwise))
        case .evaluatedObject, .keyPathOf, .subquery:
            throw .unsupported(
                expression: "\(expression)",
                advice: "Use only summaries and the properties that the request groups by.")
        }
    }

    mutating func rewrite(
        _ predicate: FetchPredicate
    ) throws(FetchPredicateError) -> FetchPredicate {
        switch predicate {
        case .constant: return predicate
        case .comparison(var comparison):
            comparison.left = try rewrite(comparison.left)
            comparison.right = try rewrite(comparison.right)
            return .comparison(comparison)
        case .and(let parts): return .and(try rewrite(parts))
        case .or(let parts): return .or(try rewrite(parts))
        case .not(let part): return .not(try rewrite(part))
        }
    }

    private mutating func rewrite(
        _ items: [FetchExpression]
    ) throws(FetchPredicateError) -> [FetchExpression] {
        var rewritten: [FetchExpression] = []
        for item in items { rewritten.append(try rewrite(item)) }
        return rewritten
    }

    private mutating func rewrite(
        _ parts: [FetchPredicate]
    ) throws(FetchPredicateError) -> [FetchPredicate] {
        var rewritten: [FetchPredicate] = []
        for part in parts { rewritten.append(try rewrite(part)) }
        return rewritten
    }

    // MARK: Names

    private func value(_ number: Int) -> FetchExpression {
        .keyPath([GroupNames.name(number)])
    }

    private func named(_ name: String) throws(FetchPredicateError) -> FetchExpression {
        if let number = keys.firstIndex(of: name) { return value(number) }
        if let number = entries.firstIndex(of: name) {
            return .keyPath([Self.entryMark + "\(number)"])
        }
        throw .unknownKey(
            name, entity: "A group of \(entity.name) objects",
            nearest: NearestName.of(name, among: keys + entries))
    }

    // MARK: Summaries

    /// Returns the summary of a group's objects that an expression represents, or `nil` if the
    /// expression is not a summary.
    func summary(_ expression: FetchExpression) throws(FetchPredicateError) -> Summary? {
        guard let (operation, argument) = Self.parts(of: expression) else { return nil }
        if operation == .count, argument == .evaluatedObject {
            // Each object counts, so nothing is read of it.
            return Summary(operation: operation, argument: .constant(.integer(1)))
        }
        let bound = try argument.bound(to: entity)
        // A summary of a to-many relationship belongs to each object, not to the group.
        if bound.isCollection { return nil }
        if operation == .sum || operation == .average, let type = bound.type, !type.isNumeric {
            throw .typeMismatch(
                expression: "\(expression)", detail: "only numbers can be summed or averaged")
        }
        return Summary(operation: operation, argument: bound)
    }

    /// Returns the operation and the argument of `sum(x)` or `@sum.x`, or `nil` for other expressions.
    private static func parts(
        of expression: FetchExpression
    ) -> (BoundPath.CollectionOperator, FetchExpression)? {
        switch expression {
        case .keyPath(let names):
            guard let first = names.first,
                let operation = BoundPath.CollectionOperator(keyPathName: first)
            else { return nil }
            let rest = Array(names.dropFirst())
            return (operation, rest.isEmpty ? .evaluatedObject : .keyPath(rest))
        case .function(let name, let arguments):
            guard arguments.count == 1, let function = PredicateFunction(rawValue: name),
                let operation = function.summary
            else { return nil }
            if case .list = arguments[0] { return nil }
            return (operation, arguments[0])
        default: return nil
        }
    }

    private mutating func number(of summary: Summary) -> Int {
        let index = summaries.firstIndex(of: summary) ?? summaries.count
        if index == summaries.count { summaries.append(summary) }
        return keys.count + index
    }
}

/// Represents the values of a group as attributes of an entity. Each attribute is named by the value's
/// number.
struct GroupNames {
    /// Returns the attribute name of a value. The names sort by number and attributes get slots in the
    /// order of their names, so the number is also the slot.
    static func name(_ number: Int) -> String {
        let digits = "\(number)"
        return "v" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    /// Returns an entity with an attribute for each type. A type that is `nil` belongs to a value that
    /// is always null.
    ///
    /// - Throws: `.unsupported` if an entity cannot have that many attributes.
    static func entity(_ types: [AttributeType?]) throws(FetchPredicateError) -> Entity {
        let attributes = types.enumerated().map { number, type in
            PropertyDescription.attribute(AttributeDescription(name(number), type ?? .string))
        }
        do {
            return try ManagedObjectModel([EntityDescription("Group", attributes)]).entities[0]
        } catch {
            throw .unsupported(expression: "a group of \(types.count) values", advice: "\(error)")
        }
    }
}

extension GroupRewriter.Summary {
    /// The type of the summary's value.
    var type: AttributeType? {
        switch operation {
        case .count: .integer64
        case .min, .max: argument.type
        case .sum:
            argument.type.map { $0.isInteger ? .integer64 : $0 == .decimal ? .decimal : .double }
        case .average: argument.type == .decimal ? .decimal : .double
        }
    }
}
