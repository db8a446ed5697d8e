import CairnModel
import CairnRows
import CairnSQL
import CairnStore
import Synchronization

/// A fetch plan as one `SELECT` statement, and the stages of the plan that the statement completes.
struct FetchQuery {
    let codec: RowCodec
    let completed: CompletedStages
    /// Why stages remain, for people. `nil` if no stage remains.
    let reason: String?
    private let from: SQLText
    private let conditions: [SQLText]
    private let order: [SQLText]
    private let offset: Int
    private let limit: Int?
    private let output: FetchPlan.Output

    /// Returns `nil` if the store holds none of the plan's entities.
    init?(_ plan: FetchPlan, in schema: FetchSchema) {
        guard let codec = schema.codec(of: plan.entityNumbers, reading: plan.slots),
            let entity = schema.map.schema(of: plan.entity.rootEntity)
        else { return nil }
        var translator = PredicateTranslator(
            SQLiteDialect(schema: schema), table: "\(entity.table)",
            of: entity.entity.rootEntity.number)
        let (conditions, remaining, reason) = translator.conditions(of: plan.predicate)
        // Sorting is useful only if SQL evaluates the complete predicate.
        let keys = remaining == nil ? translator.order(by: plan.sorts) : nil
        let isPaged = keys != nil || (plan.offset <= 0 && plan.limit == nil)
        self.codec = codec
        self.conditions =
            [plan.isExplained ? FetchWatch.visit : nil, Self.entityCondition(plan, schema)]
            .compactMap(\.self) + conditions
        order = (keys ?? []) + ["\(QueryScope.base).Z_PK"]
        from = translator.from
        offset = keys == nil ? 0 : max(0, plan.offset)
        limit = keys == nil ? nil : plan.limit.map { max(0, $0) }
        output = plan.output
        self.reason =
            reason ?? (keys == nil ? "SQL cannot sort in the order of the sort descriptors" : nil)
        completed = CompletedStages(
            remainingPredicate: remaining, isSorted: keys != nil || plan.sorts.isEmpty,
            isPaged: isPaged)
    }

    /// Whether the plan asks for the rows of the whole table, from the first on, in key order.
    var readsTable: Bool {
        completed.isComplete && conditions.isEmpty && order.count == 1 && offset == 0
    }

    /// Whether the plan asks for all matches in key order, and this query finds all of them.
    var findsAllInKeyOrder: Bool {
        completed.isComplete && order.count == 1 && offset == 0 && limit == nil
    }

    /// Returns the condition on `Z_ENT`, or `nil` if all rows of the table belong to the plan's
    /// entities.
    private static func entityCondition(_ plan: FetchPlan, _ schema: FetchSchema) -> SQLText? {
        if plan.entityNumbers == plan.entity.rootEntity.hierarchyNumbers { return nil }
        let numbers = schema.map.storeNumbers(of: plan.entityNumbers)
        let list = SQLText.joined(numbers.map { "\(bind: .integer($0))" }, by: ",")
        return "\(QueryScope.base).Z_ENT IN (\(list))"
    }

    /// Returns a query for the matches in the plan's order.
    ///
    /// - Parameter keys: The keys to which the query is limited. If `nil`, all rows are read.
    func rows(_ form: RowStatement.Form, keys: ClosedRange<Int64>? = nil) -> SQLText {
        let order = SQLText.joined(order, by: ", ")
        return
            "SELECT \(codec.selection(form, output))\(from)\(filter(keys)) ORDER BY \(order)\(page)"
    }

    /// Returns a query for all matches, in the order in which SQLite finds them.
    func unsortedRows(_ form: RowStatement.Form) -> SQLText {
        "SELECT \(codec.selection(form, output))\(from)\(filter())"
    }

    /// A query for the number of matches, ignoring the plan's offset and limit.
    var count: SQLText { "SELECT COUNT(*)\(from)\(filter())" }

    private func filter(_ keys: ClosedRange<Int64>? = nil) -> SQLText {
        var conditions = conditions
        if let keys {
            let (first, last) = (keys.lowerBound, keys.upperBound)
            conditions.append(
                "\(QueryScope.base).Z_PK BETWEEN \(bind: .integer(first)) AND \(bind: .integer(last))"
            )
        }
        return conditions.isEmpty
            ? "" : " WHERE \(SQLText.balanced(conditions[...], by: " AND "))"
    }

    private var page: SQLText {
        guard limit != nil || offset > 0 else { return "" }
        // For SQLite, a negative limit means no limit.
        let limit = Int64(limit ?? -1)
        return " LIMIT \(bind: .integer(limit)) OFFSET \(bind: .integer(Int64(offset)))"
    }
}

/// The information needed to read a store. It is shared by all snapshots of the store.
final class FetchSchema: Sendable {
    let map: SchemaMap
    /// The number that the IDs of the store's objects contain.
    let store: StoreNumber
    let location: StoreLocation
    private static let mostCodecs = 256
    private let codecs = Mutex<[CodecKey: RowCodec]>([:])

    private struct CodecKey: Hashable {
        let entities: Range<EntityNumber>
        let slots: SlotSet?
    }

    init(map: SchemaMap, store: StoreNumber, location: StoreLocation) {
        self.map = map
        self.store = store
        self.location = location
    }

    /// Returns the codec that reads rows of the given entities, which must belong to one hierarchy.
    /// Returns `nil` if the store holds none of them.
    ///
    /// - Parameter slots: The slots to read. If `nil`, all are read.
    func codec(of entities: Range<EntityNumber>, reading slots: SlotSet? = nil) -> RowCodec? {
        let key = CodecKey(entities: entities, slots: slots)
        return codecs.withLock { codecs in
            if let known = codecs[key] { return known }
            let codec = RowCodec(entities, reading: slots, in: self)
            // A program can ask for any combination of slots.
            if codecs.count >= Self.mostCodecs { codecs.removeAll() }
            codecs[key] = codec
            return codec
        }
    }

    /// Returns the codec that reads rows of a root entity and all entities below it. Returns `nil`
    /// if the store holds none of them.
    func codec(ofRoot root: EntityNumber) -> RowCodec? {
        map.model.entity(numbered: root).flatMap { codec(of: $0.rootEntity.hierarchyNumbers) }
    }
}

extension StoreError {
    /// Returns the error for a stored value that does not fit its column.
    static func corruptRow(
        at location: StoreLocation, table: SQLName, column: SQLName?, key: Int64, _ detail: String
    ) -> StoreError {
        let column = column.map { ", column \($0.text)" } ?? ""
        return .corrupt(
            location, location: "table \(table.text)\(column), key \(key)", detail: detail)
    }
}
