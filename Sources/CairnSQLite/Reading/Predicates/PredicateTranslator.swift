import CairnModel
import CairnStore

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

    /// The maximum depth of a translated predicate. The evaluator handles deeper ones: each level of the
    /// translation uses stack.
    private static let deepest = 100
    /// The maximum ``SQLText/parserDepth`` of a term of `ORDER BY`, or of a condition among several. The
    /// stack of SQLite's parser has 100 entries (YYSTACKDEPTH in SQLite's parse.y). The statement around the
    /// text takes some of them, and so does each level of parentheses around several conditions.
    private static func deepestText(among count: Int = 1) -> Int {
        88 - 3 * (Int.bitWidth - count.leadingZeroBitCount)
    }
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
    ) -> (translated: [SQLText], remaining: BoundPredicate?, reason: String?) {
        guard let predicate else { return ([], nil, nil) }
        var (translated, remaining) = ([SQLText](), [BoundPredicate]())
        var reasons: [String] = []
        var parameters = 0
        let deepest = Self.deepestText(among: predicate.conjuncts.count + 2)
        for conjunct in predicate.conjuncts {
            var attempt = self
            do throws(Untranslatable) {
                let condition = try attempt.condition(conjunct, .nullIsFalse)
                parameters += condition.parameters.count
                guard parameters <= Self.mostParameters else { throw .tooManyParameters }
                guard attempt.scopes[0].tableCount <= Self.mostTables else { throw .tooManyTables }
                guard condition.fitsParser(with: deepest) else { throw .tooDeep }
                self = attempt
                translated.append(condition)
            } catch {
                parameters = translated.reduce(0) { $0 + $1.parameters.count }
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
        _ predicate: BoundPredicate, _ truth: Truth
    ) throws(Untranslatable) -> SQLText {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.deepest else { throw .tooDeep }
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
            guard parameters <= Self.mostParameters else { throw .tooManyParameters }
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

/// An expression that SQL cannot evaluate as the evaluator does.
struct Untranslatable: Error {
    /// Why, for people.
    var reason = "SQL has no expression that always has the same result"

    static let tooDeep = Untranslatable(reason: "SQLite's parser does not accept such a depth")
    static let tooManyParameters = Untranslatable(
        reason: "a statement has at most \(PredicateTranslator.mostParameters) values")
    static let tooManyTables = Untranslatable(
        reason: "a statement joins at most \(PredicateTranslator.mostTables) tables")
}

extension PredicateTranslator {
    /// Returns the terms of an `ORDER BY` clause, without the primary key that makes the order
    /// unique. Returns `nil` if SQL cannot sort in this order.
    ///
    /// SQLite sorts NULL first in ascending and last in descending order, as Cairn does with `nil`.
    mutating func order(by sorts: [BoundSort]) -> [SQLText]? {
        var attempt = self
        var terms: [SQLText] = []
        for sort in sorts {
            guard let term = try? attempt.term(of: sort) else { return nil }
            terms.append(term)
        }
        guard attempt.scopes[0].tableCount <= Self.mostTables,
            terms.allSatisfy({ $0.fitsParser(with: Self.deepestText()) })
        else { return nil }
        self = attempt
        return terms
    }

    private mutating func term(of sort: BoundSort) throws(Untranslatable) -> SQLText {
        guard case .expression(let sql, let kind) = try operand(.path(sort.path)) else {
            throw Untranslatable()
        }
        let key = try sortKey(sql, kind, sort.textOrder)
        return sort.isAscending ? key : "\(key) DESC"
    }

    private func sortKey(
        _ sql: SQLText, _ kind: SQLOperand.Kind, _ order: BoundSort.TextOrder
    ) throws(Untranslatable) -> SQLText {
        if case .object = kind { return sql }
        guard kind.isOrdered else { throw Untranslatable() }
        guard kind == .text else { return sql }
        switch order {
        case .scalars: return sql
        case .caseInsensitive: return folded(sql, kind, .caseInsensitive)
        case .standard: return "cairn_order(\(sql))"
        }
    }
}

extension PredicateTranslator {
    /// Translates the functions that SQLite computes with the same results as the evaluator.
    ///
    /// SQLite's arithmetic behaves like the evaluator's: it uses doubles if 64 bits do not suffice,
    /// truncates integer division towards zero, and yields NULL for a division by zero or a NaN.
    mutating func call(
        _ function: PredicateFunction, _ arguments: [BoundExpression]
    ) throws(Untranslatable) -> SQLOperand {
        switch function {
        case .add: try arithmetic(arguments, " + ")
        case .subtract: try arithmetic(arguments, " - ")
        case .multiply: try arithmetic(arguments, " * ")
        case .divide: try arithmetic(arguments, " / ")
        case .lowercase: try textCall("cairn_lowercase", arguments, .text)
        case .uppercase: try textCall("cairn_uppercase", arguments, .text)
        case .canonical: try textCall("cairn_canonical", arguments, .text)
        case .length: try textCall("cairn_length", arguments, .integer)
        // `now` must be the same moment in the remaining predicate. SQLite lacks the other
        // functions or
        // rounds their results differently.
        default: throw Untranslatable()
        }
    }

    private mutating func arithmetic(
        _ arguments: [BoundExpression], _ symbol: SQLText
    ) throws(Untranslatable) -> SQLOperand {
        guard arguments.count == 2 else { throw Untranslatable() }
        let (left, right) = (try operand(arguments[0]), try operand(arguments[1]))
        if case .null = left { return .null }
        if case .null = right { return .null }
        let ((a, kind), (b, other)) = (try number(left), try number(right))
        let result: SQLOperand.Kind = kind == .integer && other == .integer ? .integer : .real
        return .expression("(\(a)\(symbol)\(b))", result)
    }

    /// Returns an operand of arithmetic. Dates may be stored as integers, so they are converted to
    /// doubles.
    private func number(
        _ operand: SQLOperand
    ) throws(Untranslatable) -> (SQLText, SQLOperand.Kind) {
        switch operand {
        case .expression(let sql, .integer): return (sql, .integer)
        case .expression(let sql, .real), .expression(let sql, .date):
            return ("CAST(\(sql) AS REAL)", .real)
        case .constant(let value):
            let parameter = try SQLOperand.Kind.real.parameter(value)
            if case .integer = parameter { return ("\(bind: parameter)", .integer) }
            return ("\(bind: parameter)", .real)
        default: throw Untranslatable()
        }
    }

    private mutating func textCall(
        _ function: SQLText, _ arguments: [BoundExpression], _ result: SQLOperand.Kind
    ) throws(Untranslatable) -> SQLOperand {
        guard arguments.count == 1 else { throw Untranslatable() }
        switch try operand(arguments[0]) {
        case .null: return .null
        case .expression(let sql, .text): return .expression("\(function)(\(sql))", result)
        default: throw Untranslatable()
        }
    }
}
