import CairnModel
import CairnRows
import CairnStore

/// Resolves the names of a fetch of dictionaries.
package struct DictionaryPlanner {
    let properties: [PropertyToFetch]
    let keys: [String]
    let having: FetchPredicate?
    let sorts: [FetchSortDescriptor]
    let isDistinct: Bool
    let entity: Entity

    package init(
        properties: [PropertyToFetch], keys: [String], having: FetchPredicate?,
        sorts: [FetchSortDescriptor], isDistinct: Bool, entity: Entity
    ) {
        self.properties = properties
        self.keys = keys
        self.having = having
        self.sorts = sorts
        self.isDistinct = isDistinct
        self.entity = entity
    }

    /// - Parameter fetch: The rows to read, sorted and paged as the request says.
    package func plan(_ fetch: FetchPlan) throws(FetchPredicateError) -> DictionaryPlan {
        try isGrouped ? grouped(fetch) : plain(fetch)
    }

    /// Whether the fetch groups rows or contains an entry that summarises them.
    package var isGrouped: Bool {
        get throws(FetchPredicateError) {
            if !keys.isEmpty || having != nil { return true }
            let rewriter = GroupRewriter(entity: entity, keys: [])
            for property in properties {
                if try containsSummary(expression(of: property), rewriter) { return true }
            }
            return false
        }
    }

    private func containsSummary(
        _ expression: FetchExpression, _ rewriter: GroupRewriter
    ) throws(FetchPredicateError) -> Bool {
        if try rewriter.summary(expression) != nil { return true }
        let parts: [FetchExpression] =
            switch expression {
            case .list(let items), .function(_, let items): items
            case .conditional(_, let then, let otherwise): [then, otherwise]
            default: []
            }
        for part in parts where try containsSummary(part, rewriter) { return true }
        return false
    }

    private func expression(of property: PropertyToFetch) -> FetchExpression {
        switch property {
        case .keyPath(let path): Self.keyPath(path)
        case .expression(let description): description.expression
        }
    }

    private static func keyPath(_ path: String) -> FetchExpression {
        .keyPath(path.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
    }

    private var entries: [DictionaryPlan.Entry] {
        properties.map { property in
            if case .expression(let description) = property {
                return .init(name: description.name, resultType: description.resultType)
            }
            return .init(name: property.name, resultType: nil)
        }
    }

    private func bound(_ expression: FetchExpression) throws(FetchPredicateError) -> BoundExpression
    {
        let bound = try expression.bound(to: entity)
        guard !bound.isCollection else {
            throw .typeMismatch(
                expression: "\(expression)",
                detail: "it has several values; summarize them with @count, @sum, @min or @max")
        }
        return bound
    }

    // MARK: Without groups

    private func plain(_ fetch: FetchPlan) throws(FetchPredicateError) -> DictionaryPlan {
        var rows = fetch
        // Each row becomes one dictionary, unless duplicates are removed.
        if isDistinct { (rows.offset, rows.limit) = (0, nil) }
        var inputs: [BoundExpression] = []
        for property in properties { inputs.append(try bound(expression(of: property))) }
        rows.slots = rows.slots(reading: inputs)
        return DictionaryPlan(
            fetch: rows, inputs: inputs, grouping: nil, entries: entries, isDistinct: isDistinct,
            offset: isDistinct ? fetch.offset : 0, limit: isDistinct ? fetch.limit : nil)
    }

    // MARK: With groups

    private func grouped(_ fetch: FetchPlan) throws(FetchPredicateError) -> DictionaryPlan {
        var rows = fetch
        (rows.offset, rows.limit, rows.sorts) = (0, nil, [])
        var rewriter = GroupRewriter(entity: entity, keys: keys)
        var boundKeys: [BoundExpression] = []
        for key in keys { boundKeys.append(try bound(Self.keyPath(key))) }
        var expressions: [FetchExpression] = []
        for property in properties {
            expressions.append(try rewriter.rewrite(expression(of: property)))
        }
        rewriter.entries = properties.map(\.name)
        var condition: FetchPredicate?
        if let having { condition = try rewriter.rewrite(having) }
        var order: [FetchExpression] = []
        for sort in sorts { order.append(try rewriter.rewrite(Self.keyPath(sort.keyPath))) }

        let inputs = boundKeys + rewriter.summaries.map(\.argument)
        rows.slots = rows.slots(reading: inputs)
        let types = boundKeys.map(\.type) + rewriter.summaries.map(\.type)
        let values = try GroupNames.entity(types)
        var boundEntries: [BoundExpression] = []
        for expression in expressions { boundEntries.append(try expression.bound(to: values)) }
        let all = try GroupNames.entity(types + boundEntries.map(\.type))
        let numbering = EntryNumbering(first: types.count)
        let grouping = DictionaryPlan.Grouping(
            keyCount: keys.count, summaries: rewriter.summaries.map(\.operation),
            entries: boundEntries,
            having: try numbering.bound(condition, to: all),
            sorts: try boundSorts(order.map { numbering.number($0) }, all))
        return DictionaryPlan(
            fetch: rows, inputs: inputs,
            grouping: grouping, entries: entries, isDistinct: isDistinct, offset: fetch.offset,
            limit: fetch.limit)
    }

    /// Returns the request's sorts followed by the keys. The keys make the order the same for all
    /// engines, and for one or several stores.
    private func boundSorts(
        _ order: [FetchExpression], _ all: Entity
    ) throws(FetchPredicateError) -> [BoundSort] {
        var bound: [BoundSort] = []
        for (expression, sort) in zip(order, sorts) {
            guard case .keyPath(let names) = expression else {
                throw .typeMismatch(
                    expression: sort.keyPath,
                    detail:
                        "groups can only be sorted by what they are grouped by and by the names of"
                        + " their expressions")
            }
            bound.append(
                BoundSort(
                    try BoundPath(leafOf: names[0], in: all), isAscending: sort.isAscending,
                    textOrder: sort.textOrder))
        }
        for number in keys.indices {
            bound.append(BoundSort(try BoundPath(leafOf: GroupNames.name(number), in: all)))
        }
        return bound
    }
}

extension FetchPlan {
    /// Returns the slots of the matches themselves that the plan and the expressions read.
    func slots(reading expressions: [BoundExpression]) -> SlotSet {
        var slots = SlotSet()
        for path in paths + expressions.flatMap(\.paths) {
            if let slot = path.firstSlot { slots.insert(slot) }
        }
        return slots
    }
}

extension BoundPath {
    /// The slot of the object at the start that the path reads. `nil` if it only needs the object's ID.
    fileprivate var firstSlot: Int? {
        if let relationship = relationships.first { return relationship.rowSlot }
        switch leaf {
        case .object: return nil
        case .attribute(let attribute), .element(let attribute, _, _),
            .referenced(let attribute, _):
            return attribute.rowSlot
        }
    }

    /// Creates a path to an attribute of the entity itself, even if its values have no order.
    fileprivate init(leafOf name: String, in entity: Entity) throws(FetchPredicateError) {
        guard let attribute = entity.attribute(named: name) else {
            throw .unknownKey(name, entity: entity.name, nearest: nil)
        }
        self.init(leaf: .attribute(attribute))
    }
}

/// Replaces entry marks in rewritten expressions with the names of the entries' values, whose numbers
/// follow those of the summaries.
private struct EntryNumbering {
    let first: Int

    func bound(
        _ predicate: FetchPredicate?, to entity: Entity
    ) throws(FetchPredicateError) -> BoundPredicate? {
        guard let predicate else { return nil }
        return try number(predicate).bound(to: entity)
    }

    private func number(_ predicate: FetchPredicate) -> FetchPredicate {
        switch predicate {
        case .constant: return predicate
        case .comparison(var comparison):
            comparison.left = number(comparison.left)
            comparison.right = number(comparison.right)
            return .comparison(comparison)
        case .and(let parts): return .and(parts.map { number($0) })
        case .or(let parts): return .or(parts.map { number($0) })
        case .not(let part): return .not(number(part))
        }
    }

    func number(_ expression: FetchExpression) -> FetchExpression {
        switch expression {
        case .keyPath(let names):
            guard let name = names.first, name.hasPrefix(GroupRewriter.entryMark),
                let entry = Int(name.dropFirst(GroupRewriter.entryMark.count))
            else { return expression }
            return .keyPath([GroupNames.name(first + entry)])
        case .list(let items): return .list(items.map { number($0) })
        case .function(let name, let arguments):
            return .function(name, arguments.map { number($0) })
        case .conditional(let test, let then, let otherwise):
            return .conditional(
                number(test), then: number(then), otherwise: number(otherwise))
        default: return expression
        }
    }
}

/// A fetch of dictionaries with all names resolved.
///
/// Its stages are those of ``fetch``, followed by grouping and `having`, the entries, removal of
/// duplicates, and finally offset and limit, unless ``fetch`` already applies these. The coordinator
/// performs all stages from grouping on, so all engines give the same results.
package struct DictionaryPlan: Sendable {
    /// The rows to read, and their order. It has the request's offset and limit if each row becomes one
    /// dictionary, and no offset and limit otherwise.
    package var fetch: FetchPlan
    /// The expressions that are evaluated for each row: the entries, or, if there are groups, the group
    /// keys followed by the values to summarise.
    var inputs: [BoundExpression]
    /// How rows are grouped. If it is `nil`, each row becomes one dictionary.
    var grouping: Grouping?
    var entries: [Entry]
    /// Whether equal dictionaries are returned only once, at the position of the first one.
    var isDistinct: Bool
    var offset: Int
    var limit: Int?

    /// An entry of the dictionaries.
    struct Entry: Sendable {
        let name: String
        let resultType: AttributeType?
    }

    /// The grouping of rows.
    ///
    /// The values of a group are numbered: first its keys, then the summaries, then the entries. They
    /// are the attributes of an entity that is created for this purpose, so that predicates and sorts
    /// can be bound to them.
    struct Grouping: Sendable {
        /// The number of keys among the inputs; the keys come first. If it is 0, all rows form one
        /// group, which exists even if there are no rows.
        let keyCount: Int
        /// The summaries of the inputs that follow the keys.
        let summaries: [BoundPath.CollectionOperator]
        /// One expression for each entry, computed from the values that precede it.
        let entries: [BoundExpression]
        let having: BoundPredicate?
        let sorts: [BoundSort]
    }
}
