import CairnModel
import CairnStore

/// Translates the predicate and the sorts of one fetch to SQL, as far as the results are always the evaluator's.
///
/// SQL comparisons can also yield NULL, which Cairn's comparisons never do. A condition that only
/// decides which rows are returned may yield NULL for false, because this keeps indexes usable. A
/// condition below a `NOT` must not. ``SQLTruth`` tells which is required.
package struct PredicateTranslator<Dialect: SQLDialect> {
    /// The maximum depth of a translated predicate. The evaluator handles deeper ones: each level of the
    /// translation uses stack.
    private static var deepest: Int { 100 }
    /// The maximum number of parameters. The limits are 32,766 for SQLite, usually, and 65,535 for PostgreSQL.
    private static var mostParameters: Int { 30_000 }

    let dialect: Dialect
    /// The open scopes, from the outermost to the innermost.
    var scopes: [QueryScope]
    /// The index of the scope of each subquery variable.
    var variableScopes: [Int: Int] = [:]
    private var nextAlias = 1
    private var depth = 0

    /// Creates a translator for a fetch of a root entity's table.
    package init(_ dialect: Dialect, table: SQLText, of root: EntityNumber) {
        self.dialect = dialect
        let base = QueryScope.base
        scopes = [QueryScope(SQLSource(text: "\(table) AS \(base)", alias: base), root: root)]
    }

    /// The `FROM` clause of the statement, with all joins.
    package var from: SQLText { scopes[0].from }

    /// Returns the translated conditions, and the predicate that remains for the evaluator. Each
    /// top-level conjunct, or the whole predicate if it is not a conjunction, is either translated
    /// completely or remains.
    package mutating func conditions(
        of predicate: BoundPredicate?
    ) -> (translated: [SQLText], remaining: BoundPredicate?, reason: String?) {
        guard let predicate else { return ([], nil, nil) }
        var (translated, remaining) = ([SQLText](), [BoundPredicate]())
        var reasons: [String] = []
        var parameters = 0
        let count = predicate.conjuncts.count + 2
        for conjunct in predicate.conjuncts {
            var attempt = self
            do throws(Untranslatable) {
                let condition = try attempt.condition(conjunct, .nullIsFalse)
                try Self.check(parameterCount: parameters + condition.parameters.count)
                try Self.check(attempt.scopes[0])
                guard Dialect.fits(condition, among: count) else { throw .tooDeep }
                self = attempt
                parameters += condition.parameters.count
                translated.append(condition)
            } catch {
                remaining.append(conjunct)
                if !reasons.contains(error.reason) { reasons.append(error.reason) }
            }
        }
        return (
            translated,
            remaining.isEmpty ? nil : remaining.count == 1 ? remaining[0] : .and(remaining),
            reasons.isEmpty ? nil : reasons.joined(separator: "; ")
        )
    }

    /// Returns the predicate as a condition, in parentheses if necessary.
    mutating func condition(
        _ predicate: BoundPredicate, _ truth: SQLTruth
    ) throws(Untranslatable) -> SQLText {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.deepest else { throw .tooDeep }
        switch predicate {
        case .constant(let value): return Dialect.constant(value)
        case .comparison(let comparison): return try condition(comparison, truth)
        case .not(let inner): return "(NOT \(try condition(inner, .twoValued)))"
        case .and(let parts): return try chain(parts, truth, ofNone: true, by: " AND ")
        case .or(let parts): return try chain(parts, truth, ofNone: false, by: " OR ")
        }
    }

    private mutating func chain(
        _ parts: [BoundPredicate], _ truth: SQLTruth, ofNone: Bool, by separator: StaticString
    ) throws(Untranslatable) -> SQLText {
        var conditions: [SQLText] = []
        var parameters = 0
        for part in parts {
            let condition = try condition(part, truth)
            parameters += condition.parameters.count
            try Self.check(parameterCount: parameters)
            conditions.append(condition)
        }
        return conditions.isEmpty
            ? Dialect.constant(ofNone) : .balanced(conditions[...], by: separator)
    }

    /// Returns the terms of an `ORDER BY` clause, without the primary key that makes the order
    /// unique. Returns `nil` if SQL cannot sort in this order.
    package mutating func order(by sorts: [BoundSort]) -> [SQLText]? {
        var attempt = self
        var terms: [SQLText] = []
        for sort in sorts {
            guard case .expression(let sql, let kind)? = try? attempt.operand(.path(sort.path)),
                let some = try? Dialect.sortTerms(
                    sql, kind, sort.textOrder, isAscending: sort.isAscending)
            else { return nil }
            terms += some
        }
        guard (try? Self.check(attempt.scopes[0])) != nil,
            terms.allSatisfy({ Dialect.fits($0, among: 1) })
        else { return nil }
        self = attempt
        return terms
    }

    // MARK: Limits

    static func check(_ scope: QueryScope) throws(Untranslatable) {
        guard scope.tableCount <= Dialect.mostTables else {
            throw .tooMany("tables", limit: Dialect.mostTables)
        }
    }

    private static func check(parameterCount: Int) throws(Untranslatable) {
        guard parameterCount <= mostParameters else {
            throw .tooMany("values", limit: mostParameters)
        }
    }

    /// Returns an alias that is unique in the statement.
    mutating func makeAlias() -> SQLName {
        defer { nextAlias += 1 }
        return SQLName("t\(nextAlias)")
    }
}
