import CairnModel
import CairnSQL
import CairnStore

/// A fetch plan as SQL, and which of its stages the SQL completes.
struct PostgresFetch {
    let table: PostgresTable?
    let completed: CompletedStages
    private let output: FetchPlan.Output
    private let selection: String
    /// Everything from `FROM` on.
    private let body: SQLText
    private let order: SQLText
    private let page: SQLText

    init(_ plan: FetchPlan, _ schema: StoreSchema) {
        output = plan.output
        table = schema.tables[plan.entity.rootEntity.number]
        guard let table else {
            (selection, body, order, page) = ("", "", "", "")
            completed = CompletedStages()
            return
        }
        var translator = PredicateTranslator(
            PostgresDialect(schema: schema), table: table.sql, of: table.root.number)
        let (conditions, remaining, _) = translator.conditions(of: plan.predicate)
        // Sorting is useful only if the server evaluates the whole predicate.
        let terms = remaining == nil ? translator.order(by: plan.sorts) : nil
        completed = CompletedStages(
            remainingPredicate: remaining, isSorted: terms != nil || plan.sorts.isEmpty,
            isPaged: terms != nil || plan.offset <= 0 && plan.limit == nil)
        let base = QueryScope.base
        selection =
            plan.output == .ids
            ? "\(base)._key, \(base)._entity"
            : table.selection(of: "\(base).", terms != nil ? plan.slots : nil)
        let numbers = plan.entityNumbers.map { schema.number(of: $0) }.compactMap(\.self)
        let list = SQLText.joined(numbers.map { "\(bind: .integer(Int64($0)))" }, by: ",")
        let entities: SQLText = numbers.isEmpty ? "false" : "\(base)._entity IN (\(list))"
        body =
            "\(translator.from) WHERE \(SQLText.balanced(([entities] + conditions)[...], by: " AND "))"
        let keyed = terms.map { $0.isEmpty ? [] : $0 + ["\(base).\(PostgresDialect.key)"] } ?? []
        order = keyed.isEmpty ? "" : " ORDER BY \(SQLText.joined(keyed, by: ", "))"
        var page: SQLText = ""
        if terms != nil {
            if let limit = plan.limit { page = " LIMIT \(bind: .integer(Int64(max(0, limit))))" }
            if plan.offset > 0 { page = "\(page) OFFSET \(bind: .integer(Int64(plan.offset)))" }
        }
        self.page = page
    }

    /// The statement that returns the matches, or `nil` if the store has no table for the entity.
    var matches: PostgresStatement? {
        guard table != nil else { return nil }
        var statement = PostgresStatement("\(body)\(order)\(page)" as SQLText)
        statement.text = "SELECT \(selection)\(statement.text)"
        return statement
    }

    /// The statement that counts the matches.
    var count: PostgresStatement? {
        guard table != nil else { return nil }
        return PostgresStatement("SELECT count(*) FROM (SELECT 1\(body)\(page)) AS m" as SQLText)
    }
}

extension Range<EntityNumber> {
    /// The numbers, one by one.
    func map<Value>(_ transform: (EntityNumber) -> Value) -> [Value] {
        (lowerBound.rawValue..<upperBound.rawValue).map { transform(EntityNumber($0)) }
    }
}
