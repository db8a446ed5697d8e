import CairnModel

extension PredicateTranslator {
    /// Translates a comparison with `ANY`, `ALL` or `NONE`.
    mutating func quantified(_ comparison: BoundComparison) throws(Untranslatable) -> SQLText {
        guard case .path(let path) = comparison.left, path.collectionOperator == nil else {
            throw Untranslatable()
        }
        let outer = scopes.count
        let alias = try enter(path)
        let value = try leaf(path, at: alias, in: outer)
        let condition = try compare(
            value, comparison, comparison.modifier == .all ? .twoValued : .nullIsFalse)
        switch comparison.modifier {
        case .direct, .any: return "(EXISTS \(try leave(selecting: "1", where: condition)))"
        case .none: return "(NOT EXISTS \(try leave(selecting: "1", where: condition)))"
        case .all: return "(NOT EXISTS \(try leave(selecting: "1", where: "(NOT \(condition))")))"
        }
    }

    /// Translates a test whether a value is among the values that a path reaches.
    mutating func membership(
        of element: BoundExpression, in path: BoundPath, _ options: PredicateComparison.Options
    ) throws(Untranslatable) -> SQLText {
        let element = try operand(element)
        let outer = scopes.count
        let alias = try enter(path)
        let value = try leaf(path, at: alias, in: outer)
        let condition = try equality(value, element, options, .nullIsFalse)
        return "(EXISTS \(try leave(selecting: "1", where: condition)))"
    }

    /// Translates `@count` and the other collection operators.
    mutating func summary(
        _ collectionOperator: BoundPath.CollectionOperator, of path: BoundPath
    ) throws(Untranslatable) -> SQLOperand {
        let outer = scopes.count
        let alias = try enter(path)
        guard case .expression(let sql, let kind) = try leaf(path, at: alias, in: outer) else {
            throw Untranslatable()
        }
        guard collectionOperator != .count else {
            return .expression(try leave(selecting: "COUNT(\(sql))"), .integer)
        }
        let (result, kindOfResult) = try Dialect.summary(
            collectionOperator, sql, kind, path.leafType)
        return .expression(try leave(selecting: result), kindOfResult)
    }

    /// Translates `SUBQUERY(…).@count`.
    mutating func memberCount(_ subquery: BoundSubquery) throws(Untranslatable) -> SQLOperand {
        // A to-one relationship after the to-many may be `nil` for some members. Only the evaluator
        // counts those correctly.
        guard case .object = subquery.collection.leaf,
            subquery.collection.collectionOperator == nil,
            subquery.collection.relationships.last?.isToMany == true
        else { throw Untranslatable() }
        let outer = scopes.count
        _ = try enter(subquery.collection)
        variableScopes[subquery.variable] = outer
        let condition = try condition(subquery.predicate, .nullIsFalse)
        variableScopes[subquery.variable] = nil
        return .expression(try leave(selecting: "COUNT(*)", where: condition), .integer)
    }

    // MARK: Scopes

    /// Opens a scope over the members of the path's first to-many relationship, joins the rest of
    /// the path, and returns the alias of the path's last table.
    private mutating func enter(_ path: BoundPath) throws(Untranslatable) -> SQLName {
        guard let first = path.relationships.firstIndex(where: \.isToMany) else {
            throw Untranslatable()
        }
        let start = try scope(of: path)
        let owner = try walk(
            path.relationships[..<first], from: scopes[start].alias, in: start)
        let relationship = path.relationships[first]
        let (members, condition) = try members(of: relationship, ownedBy: owner)
        scopes.append(
            QueryScope(
                members, correlation: condition, root: relationship.destination.rootEntity.number))
        return try walkOn(path.joinedRelationships[(first + 1)...], from: members.alias)
    }

    /// Joins more relationships, of any kind, in the innermost scope.
    private mutating func walkOn(
        _ relationships: ArraySlice<Relationship>, from start: SQLName
    ) throws(Untranslatable) -> SQLName {
        var alias = start
        for relationship in relationships {
            guard relationship.isToMany else {
                alias = try walk([relationship], from: alias, in: scopes.count - 1)
                continue
            }
            let (members, condition) = try members(of: relationship, ownedBy: alias)
            scopes[scopes.count - 1].joinMembers(members, on: condition)
            alias = members.alias
        }
        return alias
    }

    /// Closes the innermost scope and returns its `SELECT` expression.
    private mutating func leave(
        selecting result: SQLText, where condition: SQLText? = nil
    ) throws(Untranslatable) -> SQLText {
        let scope = scopes.removeLast()
        try Self.check(scope)
        return scope.select(result, where: condition)
    }

    /// Returns the source of a to-many relationship's members, and the condition for those of an owner. A pair whose
    /// member is not in the store yields no row.
    private mutating func members(
        of relationship: Relationship, ownedBy owner: SQLName
    ) throws(Untranslatable) -> (members: SQLSource, condition: SQLText) {
        guard let table = dialect.table(of: relationship.destination) else {
            throw Untranslatable()
        }
        let (alias, key) = (makeAlias(), Dialect.key)
        if let pairs = dialect.pairs(of: relationship) {
            let pair = makeAlias()
            let source: SQLText = """
                (\(pairs.table) AS \(pair) JOIN \(table) AS \(alias) \
                ON \(alias).\(key) = \(pair).\(pairs.member))
                """
            return (
                SQLSource(text: source, alias: alias, tableCount: 2),
                "\(pair).\(pairs.owner) = \(owner).\(key)"
            )
        }
        guard let inverse = relationship.inverse, let column = dialect.column(of: inverse) else {
            throw Untranslatable()
        }
        return (
            SQLSource(text: "\(table) AS \(alias)", alias: alias),
            "\(alias).\(column) = \(owner).\(key)"
        )
    }
}
