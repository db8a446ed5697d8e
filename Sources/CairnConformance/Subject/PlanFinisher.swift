import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Completes the stages of a plan that an engine did not complete, as the coordinator does.
struct PlanFinisher {
    private let resolver: SnapshotResolver
    private let layouts: RowLayouts

    init(_ snapshot: any StoreSnapshot, _ layouts: RowLayouts) {
        resolver = SnapshotResolver(snapshot, layouts: layouts)
        self.layouts = layouts
    }

    /// Throws an error if a stage is reported as completed although an earlier stage was not.
    static func check(_ completed: CompletedStages, of plan: FetchPlan) throws(RuleViolation) {
        let isPagingAsked = plan.offset > 0 || plan.limit != nil
        if completed.remainingPredicate != nil {
            try require(
                !completed.isPaged || !isPagingAsked,
                "offset and limit are not applied if part of the predicate remains")
        }
        if !completed.isSorted, !plan.sorts.isEmpty {
            try require(
                !completed.isPaged || !isPagingAsked,
                "offset and limit are not applied to matches that are not sorted")
        }
        try require(
            completed.isSorted || !plan.sorts.isEmpty, "a plan without sorts is always sorted")
        try require(
            completed.isPaged || isPagingAsked,
            "a plan without offset and limit is always paged")
    }

    func finish(
        _ plan: FetchPlan, _ completed: CompletedStages, _ rows: RowBatch
    ) throws -> RowBatch {
        var rows = rows
        if let remaining = completed.remainingPredicate {
            rows = try RowFilter(remaining, layouts: layouts, resolver: resolver).filter(rows)
        }
        if !completed.isSorted {
            rows = try RowSorter(plan.sorts, layouts: layouts, resolver: resolver).sorted(rows)
        }
        guard !completed.isPaged else { return rows }
        let start = min(plan.offset, rows.count)
        let end = min(rows.count, start + (plan.limit ?? rows.count))
        return rows.slice(start..<end)
    }

    /// Returns the correct result of a plan over all rows of its entity, independently of the engine.
    func answer(_ plan: FetchPlan, over all: RowBatch) throws -> [ObjectID] {
        let kept = all.selecting(
            all.rowIndices.filter { plan.entityNumbers.contains(all[row: $0].entity) })
        let open = CompletedStages(
            remainingPredicate: plan.predicate, isSorted: plan.sorts.isEmpty,
            isPaged: plan.offset == 0 && plan.limit == nil)
        return try finish(plan, open, kept).ids
    }
}
