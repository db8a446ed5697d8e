import CairnEngineKit
import CairnModel
import CairnStore

/// The groups of a fetch of dictionaries, with their summaries.
struct GroupTable {
    private let grouping: DictionaryPlan.Grouping
    private var indices: [[Value]: Int] = [:]
    private var groups: [Group] = []

    private struct Group {
        let keys: [Value]
        var summaries: [SummaryTally]
    }

    init(_ grouping: DictionaryPlan.Grouping) {
        self.grouping = grouping
        // All matches form one group, even if there are no matches.
        if grouping.keyCount == 0 { _ = index(of: []) }
    }

    private mutating func index(of keys: [Value]) -> Int {
        if let index = indices[keys] { return index }
        indices[keys] = groups.count
        groups.append(Group(keys: keys, summaries: grouping.summaries.map(SummaryTally.init)))
        return groups.count - 1
    }

    /// Adds a row's inputs to its group.
    mutating func add(_ values: [Value]) {
        let index = index(of: Array(values.prefix(grouping.keyCount)))
        for (number, value) in values.dropFirst(grouping.keyCount).enumerated() {
            groups[index].summaries[number].add(value)
        }
    }

    /// Returns the entries of each group that satisfies the `having` condition, in sorted order.
    ///
    /// - Throws: `.predicate`.
    func finished() throws(StoreError) -> [[Value]] {
        let source = GroupSource()
        do {
            var expressions: [ObjectExpression<GroupSource>] = []
            for entry in grouping.entries {
                expressions.append(try ObjectExpression(entry, source: source))
            }
            var kept: [GroupSource.Object] = []
            var filter: ObjectFilter<GroupSource>?
            if let having = grouping.having { filter = try ObjectFilter(having, source: source) }
            for (number, group) in groups.enumerated() {
                var object = GroupSource.Object(
                    number: number, values: group.keys + group.summaries.map(\.result))
                for expression in expressions {
                    object.values.append(try expression.value(for: object))
                }
                if try filter?.matches(object) ?? true { kept.append(object) }
            }
            let order = try ObjectSorter(grouping.sorts, source: source)
                .sortedIndices(count: kept.count) { kept[$0] }
            return order.map { Array(kept[$0].values.suffix(grouping.entries.count)) }
        } catch {
            throw .predicate(error)
        }
    }
}

/// A summary to which values are added one by one. Only sums and averages keep the values: if integers
/// exceed 64 bits, adding partial sums would give a different result.
private struct SummaryTally {
    private let operation: BoundPath.CollectionOperator
    private var count: Int64 = 0
    private var values: [Value] = []

    init(_ operation: BoundPath.CollectionOperator) {
        self.operation = operation
    }

    mutating func add(_ value: Value) {
        guard !value.isNull else { return }
        switch operation {
        case .count: count += 1
        case .min, .max: values = [operation.result(of: values + [value])]
        case .sum, .average: values.append(value)
        }
    }

    var result: Value { operation == .count ? .integer(count) : operation.result(of: values) }
}

/// An evaluation source whose objects are groups. Their values are the attributes of ``GroupNames``, by
/// slot.
private struct GroupSource: EvaluationSource {
    struct Object {
        let number: Int
        var values: [Value]
    }
    typealias Failure = FetchPredicateError

    /// Groups that compare as equal stay in the order in which they were first found.
    func id(of group: Object) -> ObjectID {
        ObjectID(
            store: StoreNumber(rawValue: 0), rootEntity: EntityNumber(0), entity: EntityNumber(0),
            key: Int64(group.number))
    }

    func value(of attribute: Attribute, in group: Object) -> Value {
        guard let slot = attribute.rowSlot, slot < group.values.count else { return .null }
        return group.values[slot]
    }

    func destination(of relationship: Relationship, in group: Object) -> ObjectID? { nil }
    func members(of relationship: Relationship, in group: Object) -> [ObjectID] { [] }
    func objects(for ids: [ObjectID]) -> [Object?] { ids.map { _ in nil } }
    func failure(for error: FetchPredicateError) -> FetchPredicateError { error }
}
