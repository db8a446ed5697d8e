import CairnModel
import CairnRows
import CairnStore

/// How one store found the matches of a fetch request.
///
/// A fetch is fast if ``FetchReport/rowsRead`` is not much greater than ``matchCount``. If it grows with the
/// number of objects in the store, no index helps.
public struct FetchExplanation: Sendable, CustomStringConvertible {
    /// The location of the store.
    public let location: StoreLocation
    /// The type of the store's engine.
    public let type: StoreType
    /// The stages that the engine completed. The coordinator did the rest in memory.
    public let completed: CompletedStages
    /// The indexes that the engine used, the number of rows that it read, and why stages remained. `nil`
    /// for an engine that does not tell.
    public let report: FetchReport?
    /// The number of matches that the engine returned to the coordinator.
    public let rowsReturned: Int
    /// The number of matches after the coordinator's stages. If a request concerns several stores, the
    /// offset and the limit are applied to the matches of all stores later.
    public let matchCount: Int
    private let plan: FetchPlan

    init(
        _ store: AttachedStore, _ plan: FetchPlan, _ cursor: any RowCursor, _ report: FetchReport?,
        returned: Int, matches: Int
    ) {
        location = store.location
        type = Swift.type(of: store.store).type
        completed = cursor.completed
        self.report = report
        rowsReturned = returned
        matchCount = matches
        self.plan = plan
    }

    /// The explanation in a few lines, which contain the constants of the predicate.
    public var description: String {
        var lines = ["\(type) \(location)"]
        lines.append("  by the engine: \(stages { $0 })")
        if !completed.isComplete {
            let reason = report?.reason.map { " (\($0))" } ?? ""
            lines.append("  in memory: \(stages { !$0 })\(reason)")
        }
        if let report {
            let access = report.access.isEmpty ? "none" : report.access.joined(separator: "; ")
            lines.append("  index: \(access)")
        }
        let read = report.map { "\($0.rowsRead) read" } ?? "unknown number read"
        lines.append("  rows: \(read), \(rowsReturned) returned, \(matchCount) matched")
        return lines.joined(separator: "\n")
    }

    /// Returns the stages of the plan for which the closure returns `true`.
    ///
    /// - Parameter isIncluded: Takes whether the engine completed the stage.
    private func stages(_ isIncluded: (Bool) -> Bool) -> String {
        let remaining = Set(completed.remainingPredicate?.conjuncts ?? [])
        let conjuncts = (plan.predicate?.conjuncts ?? []).filter {
            isIncluded(!remaining.contains($0)) && $0 != .constant(true)
        }
        var stages = conjuncts.isEmpty ? [] : ["\(FetchPredicate(unbinding: .and(conjuncts)))"]
        if !plan.sorts.isEmpty, isIncluded(completed.isSorted) { stages.append("order") }
        if plan.offset > 0 || plan.limit != nil, isIncluded(completed.isPaged) {
            stages.append("offset and limit")
        }
        if stages.isEmpty { return "all objects of \(plan.entity.name)" }
        return stages.joined(separator: ", ")
    }
}

// MARK: Text

extension FetchPredicate {
    /// The predicate with the names that it was bound from, for descriptions.
    fileprivate init(unbinding predicate: BoundPredicate) {
        self =
            switch predicate {
            case .constant(let value): .constant(value)
            case .and(let parts) where parts.count == 1: FetchPredicate(unbinding: parts[0])
            case .and(let parts): .and(parts.map(FetchPredicate.init(unbinding:)))
            case .or(let parts): .or(parts.map(FetchPredicate.init(unbinding:)))
            case .not(let part): .not(FetchPredicate(unbinding: part))
            case .comparison(let comparison):
                .comparison(
                    PredicateComparison(
                        FetchExpression(unbinding: comparison.left), comparison.operator,
                        FetchExpression(unbinding: comparison.right),
                        modifier: comparison.modifier, options: comparison.options))
            }
    }
}

extension FetchExpression {
    fileprivate init(unbinding expression: BoundExpression) {
        self =
            switch expression {
            case .constant(let value): .constant(value)
            case .list(let items): .list(items.map(FetchExpression.init(unbinding:)))
            case .path(let path): FetchExpression(unbinding: path)
            case .function(let function, let arguments):
                .function(function.rawValue, arguments.map(FetchExpression.init(unbinding:)))
            case .call(let function, let arguments):
                .function(function.name, arguments.map(FetchExpression.init(unbinding:)))
            case .subqueryCount(let subquery):
                .keyPathOf(
                    .subquery(
                        collection: FetchExpression(unbinding: subquery.collection),
                        variable: "v\(subquery.variable)",
                        predicate: FetchPredicate(unbinding: subquery.predicate)),
                    ["@count"])
            case .conditional(let test, let then, let otherwise):
                .conditional(
                    FetchPredicate(unbinding: test), then: FetchExpression(unbinding: then),
                    otherwise: FetchExpression(unbinding: otherwise))
            }
    }

    private init(unbinding path: BoundPath) {
        self =
            switch path.start {
            case .evaluatedObject: .keyPath(path.names)
            case .variable(let number): .keyPathOf(.variable("v\(number)"), path.names)
            }
    }
}
