import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// A fetch of dictionaries from snapshots of one or more stores.
struct DictionaryFetch {
    private let plan: DictionaryPlan
    private let pipeline: FetchPipeline
    private var layouts: RowLayouts { pipeline.layouts }

    /// - Parameter pipeline: Executes the plan's fetch.
    init(_ plan: DictionaryPlan, _ pipeline: FetchPipeline) {
        self.plan = plan
        self.pipeline = pipeline
    }

    /// Returns the dictionaries.
    ///
    /// - Throws: The errors of the stores; `.predicate`.
    func run(on set: SnapshotSet) throws(StoreError) -> [[String: Value]] {
        var page = DictionaryPage(plan)
        guard let grouping = plan.grouping else {
            try forEachRow(of: set) { page.add($0) }
            return page.dictionaries
        }
        var groups = GroupTable(grouping)
        if let readers = slotReaders {
            try groups.add(allRows(of: set), readers, rowsPerBatch: set.rowsPerBatch)
        } else {
            try forEachRow(of: set) { values in
                groups.add(values)
                return true
            }
        }
        for values in try groups.finished() where page.add(values) {}
        return page.dictionaries
    }

    /// Readers of the inputs, or `nil` if an input is not read from one slot.
    private var slotReaders: [SlotReader]? {
        let readers = plan.inputs.compactMap { SlotReader($0, of: plan.fetch.entity, layouts) }
        return readers.count == plan.inputs.count ? readers : nil
    }

    /// Returns a cursor that looks at the task and at the deadline.
    private func allRows(of set: SnapshotSet) throws(StoreError) -> any RowCursor {
        let cursor = try pipeline.cursor(on: set)
        return cursor is any VisitingCursor ? cursor : cursor.cancellable(by: plan.fetch)
    }

    /// Computes the inputs of each row, until `body` returns `false`.
    private func forEachRow(
        of set: SnapshotSet, _ body: ([Value]) -> Bool
    ) throws(StoreError) {
        // One array for all rows. It is only copied if the body keeps it.
        var values: [Value] = []
        let readers = slotReaders
        if let readers, plan.fetch.asksForAll, plan.limit == nil {
            return try allRows(of: set).forEachMatch(batchesOf: set.rowsPerBatch) { row in
                values.removeAll(keepingCapacity: true)
                for reader in readers { values.append(reader.value(in: row)) }
                _ = body(values)
            }
        }
        let resolver = SnapshotResolver(pipeline.joined, layouts: layouts)
        let expressions = try compiled(resolver)
        let paths = plan.inputs.flatMap(\.paths)
        let cursor = try pipeline.cursor(on: set)
        var count = plan.grouping == nil ? firstCount(atMost: set.rowsPerBatch) : set.rowsPerBatch
        while let batch = try cursor.next(atMost: count) {
            try plan.fetch.checkCancellation()
            count = min(2 * count, set.rowsPerBatch)
            resolver.forget()
            try resolver.prefetch(paths, for: batch)
            for row in batch.rows {
                values.removeAll(keepingCapacity: true)
                for expression in expressions { values.append(try expression.value(for: row)) }
                guard body(values) else { return }
            }
        }
    }

    /// Returns how many rows to read first: only a few if only a few dictionaries are needed.
    private func firstCount(atMost most: Int) -> Int {
        let (wanted, overflows) = max(0, plan.offset).addingReportingOverflow(plan.limit ?? .max)
        return overflows ? most : min(most, max(wanted, 64))
    }

    private func compiled(
        _ resolver: SnapshotResolver
    ) throws(StoreError) -> [ObjectExpression<RowSource>] {
        let source = RowSource(layouts: layouts, resolver: resolver)
        var expressions: [ObjectExpression<RowSource>] = []
        do {
            for input in plan.inputs {
                expressions.append(try ObjectExpression(input, source: source))
            }
        } catch {
            throw .predicate(error)
        }
        return expressions
    }
}

/// The dictionaries that a fetch returns: those between offset and limit, without duplicates if the plan
/// asks for that.
private struct DictionaryPage {
    private let plan: DictionaryPlan
    /// A dictionary that contains every name. ``indices`` are the indices of the entries' values in it
    /// and in its copies. Copying the dictionary and setting the values does not hash names.
    private let template: [String: Value]
    private let indices: [Dictionary<String, Value>.Index]
    private let convertsValues: Bool
    private var seen: Set<[Value]> = []
    private var toSkip: Int
    private(set) var dictionaries: [[String: Value]] = []

    init(_ plan: DictionaryPlan) {
        self.plan = plan
        toSkip = max(0, plan.offset)
        let template = Dictionary(
            plan.entries.map { ($0.name, Value.null) }, uniquingKeysWith: { $1 })
        indices = plan.entries.compactMap { template.index(forKey: $0.name) }
        self.template = template
        convertsValues = plan.entries.contains { $0.resultType != nil }
    }

    /// Adds the values of the entries. Returns whether more are needed.
    mutating func add(_ values: [Value]) -> Bool {
        guard dictionaries.count < plan.limit ?? .max else { return false }
        let values = convertsValues ? converted(values) : values
        if plan.isDistinct, !seen.insert(values.map(\.ofGroup)).inserted { return true }
        guard toSkip == 0 else {
            toSkip -= 1
            return true
        }
        dictionaries.append(dictionary(of: values))
        return dictionaries.count < plan.limit ?? .max
    }

    private func converted(_ values: [Value]) -> [Value] {
        zip(values, plan.entries).map { value, entry in
            entry.resultType.map { value.converted(to: $0) ?? .null } ?? value
        }
    }

    /// Returns the values by name, without null values.
    private func dictionary(of values: [Value]) -> [String: Value] {
        guard template.count == values.count, !values.contains(where: \.isNull) else {
            var dictionary: [String: Value] = [:]
            for (value, entry) in zip(values, plan.entries) where !value.isNull {
                dictionary[entry.name] = value
            }
            return dictionary
        }
        var dictionary = template
        for (value, index) in zip(values, indices) { dictionary.values[index] = value }
        return dictionary
    }
}
