import CairnModel
import CairnStore

/// A fetch plan as one `SELECT`, and what of the plan it does.
struct FetchQuery {
    let codec: RowCodec
    let completed: CompletedStages
    private let from: SQLText
    private let conditions: [SQLText]
    private let order: [SQLText]
    private let offset: Int
    let limit: Int?
    private let output: FetchPlan.Output

    /// `nil` if the store holds none of the plan's entities.
    init?(_ plan: FetchPlan, in schema: FetchSchema) {
        guard let codec = schema.codec(of: plan.entityNumbers),
            let entity = schema.map.schema(of: plan.entity.rootEntity)
        else { return nil }
        var translator = PredicateTranslator(schema: schema, fetching: entity)
        let (conditions, remaining) = translator.conditions(of: plan.predicate)
        // Sorting is of no use before all of the predicate was looked at.
        let keys = remaining == nil ? translator.order(by: plan.sorts) : nil
        let isPaged = keys != nil || (plan.offset <= 0 && plan.limit == nil)
        self.codec = codec
        self.conditions =
            [Self.entityCondition(plan, schema)].compactMap(\.self) + conditions
        order = (keys ?? []) + ["\(PredicateTranslator.base).Z_PK"]
        from = translator.scopes[0].from
        offset = keys == nil ? 0 : max(0, plan.offset)
        limit = keys == nil ? nil : plan.limit.map { max(0, $0) }
        output = plan.output
        completed = CompletedStages(
            remainingPredicate: remaining, isSorted: keys != nil || plan.sorts.isEmpty,
            isPaged: isPaged)
    }

    /// Whether the plan asks for all rows of the table, from the first on, in the order of keys.
    var isPlainScan: Bool {
        completed.isComplete && conditions.isEmpty && order.count == 1 && offset == 0
    }

    /// Whether the plan asks for all of its matches, in the order of keys, and this finds them.
    var findsAllInKeyOrder: Bool {
        completed.isComplete && order.count == 1 && offset == 0 && limit == nil
    }

    /// `nil` if all rows of the table are of the wanted entities.
    private static func entityCondition(_ plan: FetchPlan, _ schema: FetchSchema) -> SQLText? {
        if plan.entityNumbers == plan.entity.rootEntity.hierarchyNumbers { return nil }
        let numbers = schema.map.storeNumbers(of: plan.entityNumbers)
        let list = SQLText.joined(numbers.map { "\(bind: .integer($0))" }, by: ",")
        return "\(PredicateTranslator.base).Z_ENT IN (\(list))"
    }

    /// Yields the codec's columns, or its first ones where only IDs are wanted.
    var rows: SQLText {
        let order = SQLText.joined(order, by: ", ")
        return "SELECT \(selection)\(from)\(filter) ORDER BY \(order)\(page)"
    }

    /// Has the matches packed, in no order.
    var packed: SQLText { "SELECT cairn_pack(\(selection))\(from)\(filter)" }

    /// Yields one number, paging left out.
    var count: SQLText { "SELECT COUNT(*)\(from)\(filter)" }

    private var selection: SQLText { codec.selection(output) }

    private var filter: SQLText {
        conditions.isEmpty ? "" : " WHERE \(SQLText.balanced(conditions[...], by: " AND "))"
    }

    private var page: SQLText {
        guard limit != nil || offset > 0 else { return "" }
        // A negative limit is none.
        let limit = Int64(limit ?? -1)
        return " LIMIT \(bind: .integer(limit)) OFFSET \(bind: .integer(Int64(offset)))"
    }
}
