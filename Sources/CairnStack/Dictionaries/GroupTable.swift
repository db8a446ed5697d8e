import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore

/// The groups of a fetch of dictionaries, with their summaries.
struct GroupTable {
    private let grouping: DictionaryPlan.Grouping
    private var indices: [[Value]: Int] = [:]
    /// The groups whose only key is an integer. A range of small integers needs no hashing.
    private var integerIndices = IntegerIndices()
    /// The keys of each group.
    private var keys: [[Value]] = []
    /// The summaries of each group, one group after the other.
    private var tallies: ContiguousArray<SummaryTally> = []

    init(_ grouping: DictionaryPlan.Grouping) {
        self.grouping = grouping
        // All matches form one group, even if there are no matches.
        if grouping.keyCount == 0 { _ = index(of: []) }
    }

    private mutating func append(_ keys: [Value]) -> Int {
        self.keys.append(keys)
        for summary in grouping.summaries { tallies.append(SummaryTally(summary)) }
        return self.keys.count - 1
    }

    private mutating func index(of keys: [Value]) -> Int {
        if let index = indices[keys] { return index }
        indices[keys] = self.keys.count
        return append(keys)
    }

    @inline(__always) private mutating func index(of key: Int64?) -> Int {
        if let index = integerIndices.index(of: key) { return index }
        let index = append([key.map(Value.integer) ?? .null])
        integerIndices.insert(index, for: key)
        return index
    }

    /// Adds a row's inputs to its group.
    mutating func add(_ values: [Value]) {
        let index = index(of: values.prefix(grouping.keyCount).map(\.ofGroup))
        var position = index * grouping.summaries.count
        for value in values.dropFirst(grouping.keyCount) {
            tallies[position].add(value)
            position += 1
        }
    }

    /// Adds all rows of a cursor, whose plan has neither offset nor limit.
    ///
    /// - Parameter readers: Read the inputs.
    /// - Throws: The errors of the cursor.
    mutating func add(
        _ cursor: any RowCursor, _ readers: [SlotReader], rowsPerBatch: Int
    ) throws(StoreError) {
        let summaries = Array(readers[grouping.keyCount...])
        guard grouping.keyCount == 1, readers[0].isInteger else {
            var values: [Value] = []
            return try cursor.forEachMatch(batchesOf: rowsPerBatch) { row in
                values.removeAll(keepingCapacity: true)
                for reader in readers { values.append(reader.value(in: row)) }
                add(values)
            }
        }
        let key = readers[0]
        try cursor.forEachMatch(batchesOf: rowsPerBatch) { row in
            var position = index(of: key.integer(in: row)) * summaries.count
            for reader in summaries {
                if !reader.isInteger {
                    tallies[position].add(reader.value(in: row))
                } else if let integer = reader.integer(in: row) {
                    tallies[position].add(integer: integer)
                }
                position += 1
            }
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
            let width = grouping.summaries.count
            for (number, keys) in keys.enumerated() {
                let summaries = tallies[number * width..<(number + 1) * width]
                var object = GroupSource.Object(
                    number: number, values: keys + summaries.map(\.result))
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

/// The numbers of the groups whose key is an integer or `nil`.
private struct IntegerIndices {
    /// The indices by key, from 0 on, and -1 for keys without a group.
    private var low: ContiguousArray<Int32> = []
    private var high: [Int64: Int] = [:]
    private var null: Int?

    private static let lowCount = 1 << 16

    @inline(__always) func index(of key: Int64?) -> Int? {
        guard let key else { return null }
        guard UInt64(bitPattern: key) < UInt64(low.count) else { return high[key] }
        let index = low[Int(key)]
        return index < 0 ? nil : Int(index)
    }

    mutating func insert(_ index: Int, for key: Int64?) {
        guard let key else { return null = index }
        guard key >= 0, key < Int64(Self.lowCount) else { return high[key] = index }
        // All of these keys have their index here, so that no key is in both tables.
        if low.isEmpty { low = ContiguousArray(repeating: -1, count: Self.lowCount) }
        low[Int(key)] = Int32(index)
    }
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
