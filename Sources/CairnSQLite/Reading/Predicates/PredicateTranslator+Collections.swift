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
        case .direct, .any: return "(EXISTS \(leave(selecting: "1", where: condition)))"
        case .none: return "(NOT EXISTS \(leave(selecting: "1", where: condition)))"
        case .all: return "(NOT EXISTS \(leave(selecting: "1", where: "(NOT \(condition))")))"
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
        return "(EXISTS \(leave(selecting: "1", where: condition)))"
    }

    /// Translates `@count` and the other collection operators.
    mutating func summary(
        _ collectionOperator: BoundPath.CollectionOperator, of path: BoundPath
    ) throws(Untranslatable) -> SQLOperand {
        let outer = scopes.count
        let alias = try enter(path)
        let value: SQLOperand
        if case .attribute(let attribute) = path.leaf, attribute.type == .composite {
            throw Untranslatable()
        } else {
            value = try leaf(path, at: alias, in: outer)
        }
        guard case .expression(let sql, let kind) = value else { throw Untranslatable() }
        switch collectionOperator {
        case .count: return .expression(leave(selecting: "COUNT(\(sql))"), .integer)
        case .min where kind.isOrdered: return .expression(leave(selecting: "MIN(\(sql))"), kind)
        case .max where kind.isOrdered: return .expression(leave(selecting: "MAX(\(sql))"), kind)
        case .sum where path.leafType == .integer16 || path.leafType == .integer32:
            // The sum of 64-bit integers could exceed 64 bits, which is an error in SQLite. The
            // last bits of
            // a sum of doubles depend on the order of addition.
            return .expression(leave(selecting: "ifnull(SUM(\(sql)), 0)"), .integer)
        case .min, .max, .sum, .average: throw Untranslatable()
        }
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
        return .expression(leave(selecting: "COUNT(*)", where: condition), .integer)
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
        let members = try members(of: relationship, ownedBy: owner)
        scopes.append(
            QueryScope(
                source: members.source, correlation: members.condition, alias: members.alias,
                root: relationship.destination.rootEntity.number))
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
            let members = try members(of: relationship, ownedBy: alias)
            scopes[scopes.count - 1].joinMembers(members.source, on: members.condition)
            alias = members.alias
        }
        return alias
    }

    /// Closes the innermost scope and returns its `SELECT` expression.
    private mutating func leave(selecting result: SQLText, where condition: SQLText? = nil)
        -> SQLText
    {
        let scope = scopes.removeLast()
        return scope.select(result, where: condition)
    }

    /// Returns the source of a to-many relationship's members. A pair whose member is not in the
    /// store yields no row.
    private mutating func members(
        of relationship: Relationship, ownedBy owner: SQLName
    ) throws(Untranslatable) -> (source: SQLText, condition: SQLText, alias: SQLName) {
        guard let table = schema.map.schema(of: relationship.destination)?.table else {
            throw Untranslatable()
        }
        let alias = makeAlias()
        if let pairs = schema.map.joinTable(of: relationship) {
            let pair = makeAlias()
            return (
                """
                (\(pairs.pairs(of: relationship)) AS \(pair) JOIN \(table) AS \(alias) \
                ON \(alias).Z_PK = \(pair).\(pairs.memberColumn))
                """,
                "\(pair).\(pairs.ownerColumn) = \(owner).Z_PK", alias
            )
        }
        guard let inverse = relationship.inverse,
            let column = schema.map.column(of: inverse)?.name
        else { throw Untranslatable() }
        return ("\(table) AS \(alias)", "\(alias).\(column) = \(owner).Z_PK", alias)
    }
}
