import CairnModel
import CairnStore
import Foundation

/// Translates the predicate and the sorts of one fetch to SQL, as far as the server's results are always those of the
/// evaluator. What is left out, the evaluator does: options of text, patterns, arithmetic (which fails on the server if
/// a result is too large), and functions.
struct PostgresPredicates {
    /// Thrown for an expression that has no translation.
    struct Untranslatable: Error {}

    /// Which truth values a condition may yield. NULL counts as false, but below a NOT it would stay NULL.
    enum Truth { case nullIsFalse, twoValued }

    /// A subquery under construction, or the whole statement.
    private struct Scope {
        var alias: String
        var root: EntityNumber
        var from: String
        var correlation: String?
        /// The aliases of joined destinations, by the relationship and the alias that it starts from.
        var joined: [String: String] = [:]
    }

    /// Below the server's limit of 65,535, which also counts what the cursor adds.
    private static let mostParameters = 30_000
    /// Above this number, planning a join takes the server longer than reading the rows.
    private static let mostTables = 12
    private static let deepest = 100

    private let schema: StoreSchema
    private var scopes: [Scope]
    /// The index of the scope of each subquery's variable.
    private var variables: [Int: Int] = [:]
    private(set) var parameters: [PostgresParameter] = []
    private var aliasCount = 1
    private var depth = 0

    init(_ table: PostgresTable, _ schema: StoreSchema) {
        self.schema = schema
        scopes = [Scope(alias: "t0", root: table.root.number, from: "\(table.name) AS t0")]
    }

    /// The `FROM` clause of the statement, with all joins.
    var from: String { scopes[0].from }

    /// Translates each conjunct that can be. Returns the conditions, and what remains for the evaluator.
    mutating func conditions(
        of predicate: BoundPredicate?
    ) -> (translated: [String], remaining: BoundPredicate?) {
        guard let predicate else { return ([], nil) }
        var (translated, remaining) = ([String](), [BoundPredicate]())
        for conjunct in predicate.conjuncts {
            var attempt = self
            if let condition = try? attempt.condition(conjunct, .nullIsFalse), attempt.isSmall {
                self = attempt
                translated.append(condition)
            } else {
                remaining.append(conjunct)
            }
        }
        if remaining.isEmpty { return (translated, nil) }
        return (translated, remaining.count == 1 ? remaining[0] : .and(remaining))
    }

    private var isSmall: Bool {
        parameters.count <= Self.mostParameters && aliasCount <= Self.mostTables
    }

    // MARK: Conditions

    private mutating func condition(
        _ predicate: BoundPredicate, _ truth: Truth
    ) throws(Untranslatable) -> String {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.deepest else { throw Untranslatable() }
        switch predicate {
        case .constant(let value): return value ? "true" : "false"
        case .comparison(let comparison): return try condition(comparison, truth)
        case .not(let inner): return "(NOT \(try condition(inner, .twoValued)))"
        case .and(let parts): return try chain(parts, truth, " AND ", ofNone: "true")
        case .or(let parts): return try chain(parts, truth, " OR ", ofNone: "false")
        }
    }

    private mutating func chain(
        _ parts: [BoundPredicate], _ truth: Truth, _ separator: String, ofNone: String
    ) throws(Untranslatable) -> String {
        var conditions: [String] = []
        for part in parts { conditions.append(try condition(part, truth)) }
        return conditions.isEmpty ? ofNone : "(\(conditions.joined(separator: separator)))"
    }

    private mutating func condition(
        _ comparison: BoundComparison, _ truth: Truth
    ) throws(Untranslatable) -> String {
        if comparison.modifier != .direct { return try quantified(comparison) }
        if comparison.operator == .in, case .path(let path) = comparison.right, path.isToMany,
            path.collectionOperator == nil
        {
            let element = try operand(comparison.left)
            let (outer, alias) = try enter(path)
            let value = try leaf(path, at: alias, in: outer)
            return "(EXISTS \(leave("1", try equality(value, element, .nullIsFalse))))"
        }
        return try compare(try operand(comparison.left), comparison, truth)
    }

    /// Translates `ANY`, `ALL` and `NONE`.
    private mutating func quantified(
        _ comparison: BoundComparison
    ) throws(Untranslatable) -> String {
        guard case .path(let path) = comparison.left, path.collectionOperator == nil else {
            throw Untranslatable()
        }
        let (outer, alias) = try enter(path)
        let condition = try compare(
            try leaf(path, at: alias, in: outer), comparison,
            comparison.modifier == .all ? .twoValued : .nullIsFalse)
        switch comparison.modifier {
        case .direct, .any: return "(EXISTS \(leave("1", condition)))"
        case .none: return "(NOT EXISTS \(leave("1", condition)))"
        case .all: return "(NOT EXISTS \(leave("1", "(NOT \(condition))")))"
        }
    }

    private mutating func compare(
        _ left: PostgresOperand, _ comparison: BoundComparison, _ truth: Truth
    ) throws(Untranslatable) -> String {
        guard comparison.options.isEmpty || left.kind != .text else { throw Untranslatable() }
        switch comparison.operator {
        case .equal: return try equality(left, try operand(comparison.right), truth)
        case .notEqual:
            return "(NOT \(try equality(left, try operand(comparison.right), .twoValued)))"
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            return try order(left, comparison.operator, try operand(comparison.right), truth)
        case .in: return try membership(of: left, in: comparison.right, truth)
        case .between:
            guard case .list(let bounds) = comparison.right, bounds.count == 2 else {
                throw Untranslatable()
            }
            let low = try order(left, .greaterThanOrEqual, try operand(bounds[0]), truth)
            return
                "(\(low) AND \(try order(left, .lessThanOrEqual, try operand(bounds[1]), truth)))"
        case .beginsWith, .endsWith, .contains: return try textCondition(left, comparison, truth)
        case .like, .matches: throw Untranslatable()
        }
    }

    private static func known(_ condition: String, _ truth: Truth) -> String {
        truth == .twoValued ? "((\(condition)) IS TRUE)" : "(\(condition))"
    }

    /// Translates an equality in which `nil` equals only `nil`.
    private mutating func equality(
        _ left: PostgresOperand, _ right: PostgresOperand, _ truth: Truth
    ) throws(Untranslatable) -> String {
        switch (left, right) {
        case (.null, .null): return "true"
        case (.null, .expression(let sql, _)), (.expression(let sql, _), .null):
            return "(\(sql) IS NULL)"
        case (.expression(let sql, let kind), .constant(let value)),
            (.constant(let value), .expression(let sql, let kind)):
            if case .objectID(let id) = value, case .object(let root) = kind {
                guard id.store == schema.store, id.rootEntity == root else { return "false" }
                return Self.known("\(sql) = \(bind(.integer(id.key)))", truth)
            }
            guard let parameter = kind.parameter(value) else { throw Untranslatable() }
            return Self.known("\(sql) = \(bind(parameter))\(kind.cast)", truth)
        case (.expression(let left, let kind), .expression(let right, let other)):
            guard kind == other, kind != .opaque else { throw Untranslatable() }
            return "(\(left) IS NOT DISTINCT FROM \(right))"
        default: throw Untranslatable()
        }
    }

    /// Translates an order, in which NaN comes before every number. For the server, it comes after all of them.
    private mutating func order(
        _ left: PostgresOperand, _ operation: PredicateComparison.Operator,
        _ right: PostgresOperand,
        _ truth: Truth
    ) throws(Untranslatable) -> String {
        let isLess = operation == .lessThan || operation == .lessThanOrEqual
        let symbol =
            switch operation {
            case .lessThan: "<"
            case .lessThanOrEqual: "<="
            case .greaterThan: ">"
            default: ">="
            }
        switch (left, right) {
        case (.null, _), (_, .null): return "false"
        case (.expression(let sql, let kind), .constant(let value)) where kind.isOrdered:
            guard let parameter = kind.parameter(value), !value.isNotANumber else {
                throw Untranslatable()
            }
            let plain = "\(sql) \(symbol) \(bind(parameter))\(kind.cast)"
            guard let nan = kind.notANumber else { return Self.known(plain, truth) }
            return Self.known(
                isLess ? "(\(plain) OR \(sql) = \(nan))" : "(\(plain) AND \(sql) <> \(nan))", truth)
        case (.expression(let left, let kind), .expression(let right, let other))
        where kind == other && kind.isOrdered && kind.notANumber == nil:
            return Self.known("\(left) \(symbol) \(right)", truth)
        default: throw Untranslatable()
        }
    }

    private mutating func membership(
        of element: PostgresOperand, in list: BoundExpression, _ truth: Truth
    ) throws(Untranslatable) -> String {
        guard case .list(let elements) = list else { throw Untranslatable() }
        var alternatives: [String] = []
        for other in elements {
            alternatives.append(try equality(element, try operand(other), truth))
        }
        return alternatives.isEmpty ? "false" : "(\(alternatives.joined(separator: " OR ")))"
    }

    private mutating func textCondition(
        _ left: PostgresOperand, _ comparison: BoundComparison, _ truth: Truth
    ) throws(Untranslatable) -> String {
        let right = try operand(comparison.right)
        if case .null = left { return "false" }
        if case .null = right { return "false" }
        guard case .expression(let text, .text) = left else { throw Untranslatable() }
        let part: String
        switch right {
        case .constant(let value):
            guard let parameter = PostgresOperand.Kind.text.parameter(value) else {
                throw Untranslatable()
            }
            part = bind(parameter)
        case .expression(let sql, .text): part = sql
        default: throw Untranslatable()
        }
        return switch comparison.operator {
        case .beginsWith: Self.known("starts_with(\(text), \(part))", truth)
        case .endsWith: Self.known("right(\(text), length(\(part))) = \(part)", truth)
        default: Self.known("strpos(\(text), \(part)) > 0", truth)
        }
    }

    private mutating func bind(_ parameter: PostgresParameter) -> String {
        parameters.append(parameter)
        return "$\(parameters.count)"
    }

    // MARK: Operands

    private mutating func operand(
        _ expression: BoundExpression
    ) throws(Untranslatable) -> PostgresOperand {
        switch expression {
        case .constant(.null): return .null
        case .constant(let value): return .constant(value)
        case .path(let path):
            if path.collectionOperator == .count {
                let (outer, alias) = try enter(path)
                guard case .expression(let sql, _) = try leaf(path, at: alias, in: outer) else {
                    throw Untranslatable()
                }
                return .expression(leave("count(\(sql))"), .integer)
            }
            guard path.collectionOperator == nil else { throw Untranslatable() }
            let scope = try scope(of: path)
            let alias = try walk(path.joinedRelationships, from: scopes[scope].alias, in: scope)
            return try leaf(path, at: alias, in: scope)
        case .subqueryCount(let subquery):
            guard case .object = subquery.collection.leaf,
                subquery.collection.collectionOperator == nil,
                subquery.collection.relationships.last?.isToMany == true
            else { throw Untranslatable() }
            let (outer, _) = try enter(subquery.collection)
            variables[subquery.variable] = outer
            let condition = try condition(subquery.predicate, .nullIsFalse)
            variables[subquery.variable] = nil
            return .expression(leave("count(*)", condition), .integer)
        case .list, .conditional, .function, .call: throw Untranslatable()
        }
    }

    private func scope(of path: BoundPath) throws(Untranslatable) -> Int {
        switch path.start {
        case .evaluatedObject: return 0
        case .variable(let number):
            guard let scope = variables[number] else { throw Untranslatable() }
            return scope
        }
    }

    private func leaf(
        _ path: BoundPath, at alias: String, in scope: Int
    ) throws(Untranslatable) -> PostgresOperand {
        switch path.leaf {
        case .object:
            guard let last = path.relationships.last else {
                return .expression("\(alias)._key", .object(scopes[scope].root))
            }
            let root = last.destination.rootEntity.number
            if last.isToMany { return .expression("\(alias)._key", .object(root)) }
            let column = try column(last.rowSlot, last.entity)
            return .expression("\(alias).\(column.name)", .object(root))
        case .attribute(let attribute):
            let column = try column(attribute.rowSlot, attribute.entity)
            let kind = PostgresOperand.Kind(column.kind)
            // Booleans are compared as the numbers 0 and 1, and floats as doubles.
            let cast = column.kind == .boolean ? "::int4" : column.kind == .float ? "::float8" : ""
            return .expression("\(alias).\(column.name)\(cast)", kind)
        case .element, .referenced: throw Untranslatable()
        }
    }

    private func column(
        _ slot: Int?, _ entity: Entity
    ) throws(Untranslatable) -> PostgresTable.Column {
        guard let column = schema.table(of: entity)?.column(slot, of: entity) else {
            throw Untranslatable()
        }
        return column
    }

    // MARK: Joins

    /// Joins the destinations of to-one relationships. A row without a destination is kept.
    private mutating func walk(
        _ relationships: some Sequence<Relationship>, from start: String, in scope: Int
    ) throws(Untranslatable) -> String {
        var alias = start
        for relationship in relationships {
            guard !relationship.isToMany else { throw Untranslatable() }
            let column = try column(relationship.rowSlot, relationship.entity)
            let step = "\(alias).\(column.name)"
            if let known = scopes[scope].joined[step] {
                alias = known
                continue
            }
            guard let table = schema.table(of: relationship.destination) else {
                throw Untranslatable()
            }
            let next = makeAlias()
            scopes[scope].from += " LEFT JOIN \(table.name) AS \(next) ON \(next)._key = \(step)"
            scopes[scope].joined[step] = next
            alias = next
        }
        return alias
    }

    /// Opens a subquery over the members of the path's first to-many relationship, and joins the rest of the path.
    /// Returns the subquery's index, and the alias of the path's last table.
    private mutating func enter(
        _ path: BoundPath
    ) throws(Untranslatable) -> (scope: Int, alias: String) {
        guard let first = path.relationships.firstIndex(where: \.isToMany) else {
            throw Untranslatable()
        }
        let start = try scope(of: path)
        let owner = try walk(path.relationships[..<first], from: scopes[start].alias, in: start)
        let relationship = path.relationships[first]
        let members = try members(of: relationship, ownedBy: owner)
        scopes.append(
            Scope(
                alias: members.alias, root: relationship.destination.rootEntity.number,
                from: members.from, correlation: members.condition))
        let scope = scopes.count - 1
        var alias = members.alias
        for relationship in path.joinedRelationships[(first + 1)...] {
            if relationship.isToMany {
                let members = try self.members(of: relationship, ownedBy: alias)
                // Only a join may stand in parentheses.
                let from = members.from.contains(" JOIN ") ? "(\(members.from))" : members.from
                scopes[scope].from += " JOIN \(from) ON \(members.condition)"
                alias = members.alias
            } else {
                alias = try walk([relationship], from: alias, in: scope)
            }
        }
        return (scope, alias)
    }

    /// Closes the innermost subquery.
    private mutating func leave(_ result: String, _ condition: String? = nil) -> String {
        let scope = scopes.removeLast()
        let conditions = [scope.correlation, condition].compactMap(\.self).joined(
            separator: " AND ")
        return "(SELECT \(result) FROM \(scope.from) WHERE \(conditions))"
    }

    private mutating func members(
        of relationship: Relationship, ownedBy owner: String
    ) throws(Untranslatable) -> (from: String, condition: String, alias: String) {
        guard let table = schema.table(of: relationship.destination) else { throw Untranslatable() }
        let alias = makeAlias()
        if let (pairs, isForward) = schema.pairs(of: relationship) {
            let pair = makeAlias()
            let (ownerColumn, memberColumn) = isForward ? ("owner", "member") : ("member", "owner")
            return (
                "\(pairs.name) AS \(pair) JOIN \(table.name) AS \(alias) ON \(alias)._key = \(pair).\(memberColumn)",
                "\(pair).\(ownerColumn) = \(owner)._key", alias
            )
        }
        guard let inverse = relationship.inverse else { throw Untranslatable() }
        let column = try column(inverse.rowSlot, inverse.entity)
        return ("\(table.name) AS \(alias)", "\(alias).\(column.name) = \(owner)._key", alias)
    }

    private mutating func makeAlias() -> String {
        defer { aliasCount += 1 }
        return "t\(aliasCount)"
    }

    // MARK: Order

    /// Returns the terms of an `ORDER BY` clause without the key, or `nil` if the server cannot sort like this.
    mutating func order(by sorts: [BoundSort]) -> [String]? {
        var attempt = self
        var terms: [String] = []
        for sort in sorts {
            guard case .expression(let sql, let kind)? = try? attempt.operand(.path(sort.path)),
                kind.isSortable, kind != .text || sort.textOrder == .scalars
            else { return nil }
            let direction = sort.isAscending ? "" : " DESC"
            // `nil` first, then NaN, then the values.
            terms.append("(\(sql) IS NOT NULL)\(direction)")
            if let nan = kind.notANumber { terms.append("(\(sql) <> \(nan))\(direction)") }
            terms.append("\(sql)\(direction)")
        }
        guard attempt.isSmall else { return nil }
        self = attempt
        return terms
    }
}

extension BoundPath {
    /// The relationships whose destination rows are needed. A to-one at the end is read where it starts.
    fileprivate var joinedRelationships: ArraySlice<Relationship> {
        if case .object = leaf, relationships.last?.isToMany == false {
            return relationships.dropLast()
        }
        return relationships[...]
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
