import CairnModel

/// Translates the predicate of one fetch to SQL, as far as possible.
///
/// SQL comparisons can also yield NULL, which Cairn's comparisons never do. A condition that only
/// decides which rows are returned may yield NULL for false, because this keeps indexes usable. A
/// condition below a `NOT` must yield 0 or 1. ``Truth`` tells which is required.
struct PredicateTranslator {
    /// Which truth values a condition may yield.
    enum Truth {
        /// NULL is allowed and counts as false.
        case nullIsFalse
        /// Only 0 and 1 are allowed.
        case twoValued
    }

    /// The maximum depth of a translated predicate. The evaluator handles deeper ones: SQLite's
    /// parser has its own limit, and each level of the translation uses stack.
    private static let deepest = 100
    /// The maximum number of tables, below SQLite's limit of 64 tables in a join.
    static let mostTables = 60
    /// The maximum number of parameters, below SQLite's usual limit of 32,766 in a statement.
    static let mostParameters = 30_000

    /// The alias of the table of the fetched entity.
    static let base = SQLName("t0")

    let schema: FetchSchema
    /// The open scopes, from the outermost to the innermost.
    var scopes: [QueryScope]
    /// The index of the scope of each subquery variable.
    var variableScopes: [Int: Int] = [:]
    private var nextAlias = 1
    private var depth = 0

    /// - Parameter entity: The fetched entity.
    init(schema: FetchSchema, fetching entity: EntitySchema) {
        self.schema = schema
        scopes = [
            QueryScope(
                source: "\(entity.table) AS \(Self.base)", alias: Self.base,
                root: entity.entity.rootEntity.number)
        ]
    }

    /// Returns the translated conditions, and the predicate that remains for the evaluator. Each
    /// top-level conjunct, or the whole predicate if it is not a conjunction, is either translated
    /// completely or remains.
    mutating func conditions(
        of predicate: BoundPredicate?
    ) -> (translated: [SQLText], remaining: BoundPredicate?) {
        guard let predicate else { return ([], nil) }
        var (translated, remaining) = ([SQLText](), [BoundPredicate]())
        var parameters = 0
        for conjunct in predicate.conjuncts {
            var attempt = self
            if let condition = try? attempt.condition(conjunct, .nullIsFalse),
                parameters + condition.parameters.count <= Self.mostParameters,
                attempt.scopes[0].tableCount <= Self.mostTables
            {
                self = attempt
                translated.append(condition)
                parameters += condition.parameters.count
            } else {
                remaining.append(conjunct)
            }
        }
        return (
            translated,
            remaining.isEmpty ? nil : remaining.count == 1 ? remaining[0] : .and(remaining)
        )
    }

    /// Returns the predicate as a condition, in parentheses if necessary.
    mutating func condition(
        _ predicate: BoundPredicate, _ truth: Truth
    ) throws(Untranslatable) -> SQLText {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.deepest else { throw Untranslatable() }
        switch predicate {
        case .constant(let value): return value ? "1" : "0"
        case .comparison(let comparison): return try condition(comparison, truth)
        case .not(let inner): return "(NOT \(try condition(inner, .twoValued)))"
        case .and(let parts): return try chain(parts, truth, ofNone: "1", by: " AND ")
        case .or(let parts): return try chain(parts, truth, ofNone: "0", by: " OR ")
        }
    }

    private mutating func chain(
        _ parts: [BoundPredicate], _ truth: Truth, ofNone: SQLText, by separator: StaticString
    ) throws(Untranslatable) -> SQLText {
        var conditions: [SQLText] = []
        var parameters = 0
        for part in parts {
            let condition = try condition(part, truth)
            parameters += condition.parameters.count
            guard parameters <= Self.mostParameters else { throw Untranslatable() }
            conditions.append(condition)
        }
        return conditions.isEmpty ? ofNone : .balanced(conditions[...], by: separator)
    }

    /// Returns an alias that is unique in the statement.
    mutating func makeAlias() -> SQLName {
        defer { nextAlias += 1 }
        return SQLName("t\(nextAlias)")
    }
}
