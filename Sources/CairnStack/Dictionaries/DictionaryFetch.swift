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

    init(_ plan: DictionaryPlan, of coordinator: PersistentStoreCoordinator) {
        self.plan = plan
        pipeline = FetchPipeline(plan.fetch, of: coordinator)
    }

    /// Returns the dictionaries.
    ///
    /// - Throws: The errors of the stores; `.predicate`.
    func run(on set: SnapshotSet) throws(StoreError) -> [[String: Value]] {
        guard let grouping = plan.grouping else { return try dictionaries(on: set) }
        var groups = GroupTable(grouping)
        try forEachRow(of: set) { values in
            groups.add(values)
            return true
        }
        var page = DictionaryPage(plan)
        for values in try groups.finished() where page.add(values) {}
        return page.dictionaries
    }

    private func dictionaries(on set: SnapshotSet) throws(StoreError) -> [[String: Value]] {
        var page = DictionaryPage(plan)
        try forEachRow(of: set) { page.add($0) }
        return page.dictionaries
    }

    /// Computes the inputs of each row, until `body` returns `false`.
    private func forEachRow(
        of set: SnapshotSet, _ body: ([Value]) -> Bool
    ) throws(StoreError) {
        let resolver = StoresResolver(set, layouts: layouts)
        let expressions = try compiled(resolver)
        let paths = plan.inputs.flatMap(\.paths)
        let cursor = try pipeline.cursor(on: set)
        // One array for all rows. It is only copied if the body keeps it.
        var values: [Value] = []
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
        _ resolver: StoresResolver
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
        if plan.isDistinct, !seen.insert(values).inserted { return true }
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

/// Follows relationships from the rows of several stores. Relationships do not lead to other stores.
private final class StoresResolver: RowResolver {
    private let resolvers: [(store: StoreNumber, resolver: SnapshotResolver)]

    init(_ set: SnapshotSet, layouts: RowLayouts) {
        resolvers = set.members.map {
            ($0.attached.number, SnapshotResolver($0.snapshot, layouts: layouts))
        }
    }

    private func resolver(_ store: StoreNumber?) -> SnapshotResolver? {
        resolvers.first { $0.store == store }?.resolver
    }

    func rows(for ids: [ObjectID]) throws(StoreError) -> [Row?] {
        guard let resolver = resolver(ids.first?.store) else { return ids.map { _ in nil } }
        return try resolver.rows(for: ids)
    }

    func members(of relationship: Relationship, in row: Row) throws(StoreError) -> [ObjectID] {
        try resolver(row.slab.store)?.members(of: relationship, in: row) ?? []
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try resolver(reference.store)?.externalData(reference) ?? Data()
    }

    func forget() {
        for (_, resolver) in resolvers { resolver.forget() }
    }

    func prefetch(_ paths: [BoundPath], for batch: RowBatch) throws(StoreError) {
        for (store, resolver) in resolvers {
            try resolver.prefetch(
                paths, for: resolvers.count == 1 ? batch : batch.rows(of: store))
        }
    }
}
