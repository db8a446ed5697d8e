import CairnModel
import CairnStore

/// A fetch plan as SQL, and which of its stages the SQL completes.
struct PostgresFetch {
    let table: PostgresTable?
    let completed: CompletedStages
    private let output: FetchPlan.Output
    private let selection: String
    /// Everything from `FROM` on.
    private let body: String
    private let order: String
    private let page: String
    private let parameters: [PostgresParameter]

    init(_ plan: FetchPlan, _ schema: StoreSchema) {
        output = plan.output
        table = schema.tables[plan.entity.rootEntity.number]
        guard let table else {
            (selection, body, order, page, parameters) = ("", "", "", "", [])
            completed = CompletedStages()
            return
        }
        var translator = PostgresPredicates(table, schema)
        let (conditions, remaining) = translator.conditions(of: plan.predicate)
        // Sorting is useful only if the server evaluates the whole predicate.
        let terms = remaining == nil ? translator.order(by: plan.sorts) : nil
        let isWhole = terms != nil
        completed = CompletedStages(
            remainingPredicate: remaining, isSorted: isWhole || plan.sorts.isEmpty,
            isPaged: isWhole || plan.offset <= 0 && plan.limit == nil)
        selection =
            plan.output == .ids
            ? "t0._key, t0._entity"
            : table.selection(of: "t0.", remaining == nil && isWhole ? plan.slots : nil)
        let entities = "t0._entity IN (\(schema.list(of: plan.entityNumbers.map { $0 })))"
        body =
            "FROM \(translator.from) WHERE \(([entities] + conditions).joined(separator: " AND "))"
        order =
            terms.map {
                $0.isEmpty ? "" : " ORDER BY \(($0 + ["t0._key"]).joined(separator: ", "))"
            } ?? ""
        var page = ""
        if isWhole {
            if let limit = plan.limit { page += " LIMIT \(max(0, limit))" }
            if plan.offset > 0 { page += " OFFSET \(plan.offset)" }
        }
        self.page = page
        parameters = translator.parameters
    }

    /// The statement that returns the matches, or `nil` if the store has no table for the entity.
    var matches: PostgresStatement? {
        table.map { _ in PostgresStatement("SELECT \(selection) \(body)\(order)\(page)", parameters)
        }
    }

    /// The statement that counts the matches.
    var count: PostgresStatement? {
        table.map { _ in
            PostgresStatement("SELECT count(*) FROM (SELECT 1 \(body)\(page)) AS m", parameters)
        }
    }
}

extension Range<EntityNumber> {
    /// The numbers, one by one.
    func map<Value>(_ transform: (EntityNumber) -> Value) -> [Value] {
        (lowerBound.rawValue..<upperBound.rawValue).map { transform(EntityNumber($0)) }
    }
}
