import CairnModel

extension PredicateTranslator {
    /// Translates one side of a comparison. It has exactly one value for each row.
    mutating func operand(_ expression: BoundExpression) throws(Untranslatable) -> SQLOperand {
        switch expression {
        case .constant(.null): return .null
        case .constant(let value): return .constant(value)
        case .path(let path): return try operand(path)
        case .function(let function, let arguments):
            var operands: [SQLOperand] = []
            for argument in arguments { operands.append(try operand(argument)) }
            return try Dialect.call(function, operands)
        case .call(let function, _):
            throw Untranslatable(
                "\(function.name)(…) is a function of the program, evaluated in memory")
        case .subqueryCount(let subquery): return try memberCount(subquery)
        case .list, .conditional: throw Untranslatable()
        }
    }

    private mutating func operand(_ path: BoundPath) throws(Untranslatable) -> SQLOperand {
        if let collectionOperator = path.collectionOperator {
            return try summary(collectionOperator, of: path)
        }
        let scope = try scope(of: path)
        let alias = try walk(path.joinedRelationships, from: scopes[scope].alias, in: scope)
        return try leaf(path, at: alias, in: scope)
    }

    /// Returns the index in ``scopes`` of the scope that the path begins in.
    func scope(of path: BoundPath) throws(Untranslatable) -> Int {
        switch path.start {
        case .evaluatedObject: return 0
        case .variable(let number):
            guard let scope = variableScopes[number] else { throw Untranslatable() }
            return scope
        }
    }

    /// Joins the destinations of to-one relationships, and returns the alias of the last one.
    mutating func walk(
        _ relationships: some Sequence<Relationship>, from start: SQLName, in scope: Int
    ) throws(Untranslatable) -> SQLName {
        var alias = start
        for relationship in relationships {
            guard !relationship.isToMany else { throw Untranslatable() }
            if let known = scopes[scope].alias(of: relationship, from: alias) {
                alias = known
                continue
            }
            guard let column = dialect.column(of: relationship),
                let table = dialect.table(of: relationship.destination)
            else { throw Untranslatable() }
            let next = makeAlias()
            scopes[scope].joinToOne(
                relationship, from: alias, SQLSource(text: "\(table) AS \(next)", alias: next),
                on: "\(next).\(Dialect.key) = \(alias).\(column)")
            alias = next
        }
        return alias
    }

    /// Returns the path's value in the row with the given alias.
    func leaf(
        _ path: BoundPath, at alias: SQLName, in scope: Int
    ) throws(Untranslatable) -> SQLOperand {
        switch path.leaf {
        case .object:
            guard let last = path.relationships.last else {
                return .expression("\(alias).\(Dialect.key)", .object(scopes[scope].root))
            }
            let root = last.destination.rootEntity.number
            if last.isToMany { return .expression("\(alias).\(Dialect.key)", .object(root)) }
            guard let column = dialect.column(of: last) else { throw Untranslatable() }
            return .expression("\(alias).\(column)", .object(root))
        case .attribute(let attribute): return try dialect.value(of: attribute, at: alias)
        case .element(let attribute, let path, let type):
            return try dialect.value(of: attribute, element: path, type, at: alias)
        case .referenced: throw Untranslatable()
        }
    }
}

extension BoundPath {
    /// The relationships whose destination rows are needed. If the path ends with a to-one
    /// relationship, the stored reference is sufficient, as it is for the evaluator.
    var joinedRelationships: ArraySlice<Relationship> {
        if case .object = leaf, relationships.last?.isToMany == false {
            return relationships.dropLast()
        }
        return relationships[...]
    }
}
