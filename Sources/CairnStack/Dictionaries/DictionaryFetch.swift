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
    func run(on set: SnapshotSet) throws(StoreError) -> [DictionaryRow] {
        var page = DictionaryPage(plan)
        guard let grouping = plan.grouping else {
            if let readers = slotReaders, plan.fetch.asksForAll, page.takesAll {
                try readers.withUnsafeBufferPointer { readers throws(StoreError) in
                    try allRows(of: set).forEachMatch(batchesOf: set.rowsPerBatch) { row in
                        page.add(row, readers)
                    }
                }
            } else {
                try forEachRow(of: set) { page.add($0) }
            }
            return page.finished()
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
        return page.finished()
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
        if let readers = slotReaders, plan.fetch.asksForAll, plan.limit == nil {
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
    private let columns: DictionaryRow.Columns
    /// The indices of the entries whose values are kept, or `nil` for all. If several entries have one name, the
    /// last of them is kept.
    private let kept: [Int]?
    private let convertsValues: Bool
    private var seen: Set<[Value]> = []
    private var toSkip: Int
    private var count = 0
    private var blocks: [DictionaryRow.Block] = []
    /// The values of the dictionaries that are not in a block yet.
    private var values: ContiguousArray<Value> = []
    /// The number of values in a block. All dictionaries of a block share one allocation, and a block is small
    /// enough for the heap to use its memory again.
    private let blockSize: Int

    init(_ plan: DictionaryPlan) {
        self.plan = plan
        toSkip = max(0, plan.offset)
        let last = Dictionary(
            plan.entries.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
        kept = last.count == plan.entries.count ? nil : last.values.sorted()
        columns = DictionaryRow.Columns(
            (kept ?? Array(plan.entries.indices)).map { plan.entries[$0].name })
        convertsValues = plan.entries.contains { $0.resultType != nil }
        blockSize = 1_024 * max(1, columns.names.count)
    }

    /// Whether the dictionaries are those of all rows, with the values as they are stored.
    var takesAll: Bool {
        plan.limit == nil && toSkip == 0 && !plan.isDistinct && !convertsValues && kept == nil
    }

    /// Adds the values of a row.
    ///
    /// - Precondition: ``takesAll``.
    @inline(__always) mutating func add(
        _ row: RowPointer, _ readers: UnsafeBufferPointer<SlotReader>
    ) {
        if values.isEmpty { values.reserveCapacity(blockSize) }
        SlotReader.append(row, readers, to: &values)
        count += 1
        if values.count >= blockSize { endBlock() }
    }

    /// Adds the values of the entries. Returns whether more are needed.
    mutating func add(_ values: [Value]) -> Bool {
        guard count < plan.limit ?? .max else { return false }
        let values = convertsValues ? converted(values) : values
        if plan.isDistinct, !seen.insert(values.map(\.ofGroup)).inserted { return true }
        guard toSkip == 0 else {
            toSkip -= 1
            return true
        }
        if let kept {
            for index in kept { self.values.append(values[index]) }
        } else {
            self.values += values
        }
        count += 1
        if self.values.count >= blockSize { endBlock() }
        return count < plan.limit ?? .max
    }

    private func converted(_ values: [Value]) -> [Value] {
        zip(values, plan.entries).map { value, entry in
            entry.resultType.map { value.converted(to: $0) ?? .null } ?? value
        }
    }

    private mutating func endBlock() {
        blocks.append(DictionaryRow.Block(columns, values))
        values = []
    }

    /// Returns the dictionaries that were added.
    mutating func finished() -> [DictionaryRow] {
        // Without names, the dictionaries are empty.
        if !values.isEmpty || columns.names.isEmpty { endBlock() }
        var rows: [DictionaryRow] = []
        rows.reserveCapacity(count)
        for block in blocks { block.addRows(to: &rows) }
        return rows
    }
}
