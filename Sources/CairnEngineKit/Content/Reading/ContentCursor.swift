import CairnModel
import CairnRows
import CairnStore

/// A cursor that executes a plan completely: predicate, sort, offset and limit.
final class ContentCursor: VisitingCursor {
    let completed = CompletedStages()
    private let snapshot: ContentSnapshot
    private let plan: FetchPlan
    private let resolver: TableResolver
    private var scan: RowScan
    private var toSkip: Int
    /// The maximum number of matches that are still to be returned.
    private var remaining: Int
    /// All matches in sorted order, or `nil` before they are sorted and if the plan has no order.
    private var sorted: RowBatch?

    /// - Throws: the errors of ``RowScan/init(_:on:)``.
    init(_ plan: FetchPlan, snapshot: ContentSnapshot) throws(StoreError) {
        self.snapshot = snapshot
        self.plan = plan
        resolver = snapshot.resolver
        scan = try RowScan(plan, on: snapshot)
        toSkip = max(plan.offset, 0)
        remaining = max(plan.limit ?? .max, 0)
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        try snapshot.requireOpen()
        let wanted = min(max(count, 1), remaining)
        if wanted == 0 { return nil }
        let batch = plan.sorts.isEmpty ? try nextMatches(wanted) : try nextSorted(wanted)
        remaining -= batch.count
        if batch.isEmpty { return nil }
        return plan.output == .rows ? batch : RowBatch(ids: batch.ids)
    }

    func forEachMatch(_ body: (RowPointer) -> Void) throws(StoreError) {
        try snapshot.requireOpen()
        try scan.forEach(body)
    }

    private func nextMatches(_ wanted: Int) throws(StoreError) -> RowBatch {
        while toSkip > 0 {
            let passed = try scan.next(atMost: min(toSkip, 4096)).count
            if passed == 0 { return RowBatch() }
            toSkip -= passed
        }
        return try scan.next(atMost: wanted)
    }

    private func nextSorted(_ wanted: Int) throws(StoreError) -> RowBatch {
        let all: RowBatch
        if let sorted { all = sorted } else { all = try sortMatches() }
        sorted = all
        let first = min(toSkip, all.count)
        let end = min(all.count - first, wanted) + first
        toSkip = end
        return all.slice(first..<end)
    }

    private func sortMatches() throws(StoreError) -> RowBatch {
        let sorter = RowSorter(
            plan.sorts, layouts: resolver.table.schema.layouts, resolver: resolver)
        return try sorter.sorted(try scan.next(atMost: .max))
    }
}
