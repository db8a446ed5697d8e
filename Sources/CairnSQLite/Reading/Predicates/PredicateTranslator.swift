import CairnModel
import CairnStore

/// Turns the predicate of one fetch into SQL, as far as SQL can say it.
///
/// SQL's comparisons know a third truth value; ours do not. A condition that decides which rows
/// are returned may yield NULL for false, which leaves indexes usable; one below a `NOT` is made to
/// yield 0 or 1. ``Truth`` says which is wanted.
struct PredicateTranslator {
    /// Which truth values a condition may yield.
    enum Truth {
        /// NULL counts as false where the condition stands.
        case nullIsFalse
        /// 0 or 1.
        case twoValued
    }

    /// Deeper predicates are left to the evaluator: SQLite's parser has a limit of its own, and
    /// every level of ours takes stack.
    private static let deepest = 100
    /// SQLite joins 64 tables at most.
    static let mostTables = 60
    /// Below SQLite's usual limit of 32,766 variables in a statement.
    static let mostParameters = 30_000

    /// The table of what is fetched.
    static let base = SQLName("t0")

    let schema: FetchSchema
    /// The scopes being built, the outermost first.
    var scopes: [QueryScope]
    /// The scope of each subquery's variable.
    var variableScopes: [Int: Int] = [:]
    private var nextAlias = 1
    private var depth = 0

    /// - Parameter entity: what is fetched.
    init(schema: FetchSchema, fetching entity: EntitySchema) {
        self.schema = schema
        scopes = [
            QueryScope(
                source: "\(entity.table) AS \(Self.base)", alias: Self.base,
                root: entity.entity.rootEntity.number)
        ]
    }

    /// Returns the conditions that SQL can say, and what remains; each is one of the top-level
    /// conjuncts or all of the predicate.
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

    /// Returns the predicate as a condition, in parentheses where it needs them.
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

    /// Returns an alias that no table of the statement has.
    mutating func makeAlias() -> SQLName {
        defer { nextAlias += 1 }
        return SQLName("t\(nextAlias)")
    }
}
