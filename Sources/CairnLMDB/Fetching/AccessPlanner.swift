import CairnModel
import CairnStore

/// Chooses the way to a plan's candidates.
///
/// A conjunct that follows relationships is left to the coordinator, which reads what it needs for
/// many rows at once; all others are done here, by an index or on the rows.
struct AccessPlanner {
    private let plan: FetchPlan
    private let tables: StoreTables
    private let store: StoreNumber

    init(_ plan: FetchPlan, tables: StoreTables, store: StoreNumber) {
        self.plan = plan
        self.tables = tables
        self.store = store
    }

    func make() -> AccessPlan {
        var own: [BoundPredicate] = []
        var remaining: [BoundPredicate] = []
        for conjunct in plan.predicate?.conjuncts ?? [] {
            if conjunct.followsRelationships {
                remaining.append(conjunct)
            } else {
                own.append(conjunct)
            }
        }
        let matcher = IndexMatcher(plan.entity, tables: tables, store: store)
        var choice = IndexChoice(own, matcher)
        var isSorted = plan.sorts.isEmpty || sortsByKey
        if !isSorted, remaining.isEmpty, let path = orderedPath(choice) {
            choice.path = path
            isSorted = true
        }
        var completed = CompletedStages()
        completed.remainingPredicate = Self.all(remaining)
        completed.isSorted = plan.sorts.isEmpty || (isSorted && remaining.isEmpty)
        completed.isPaged =
            (plan.offset <= 0 && plan.limit == nil) || (isSorted && remaining.isEmpty)
        return AccessPlan(
            path: choice.path, filter: Self.all(choice.rest), completed: completed)
    }

    private var sortsByKey: Bool {
        guard let sort = plan.sorts.first, sort.isAscending else { return false }
        return sort.path.start == .evaluatedObject && sort.path.relationships.isEmpty
            && sort.path.leaf == .object && sort.path.collectionOperator == nil
    }

    /// The way along an index whose order is the plan's: where only some of the rows are wanted.
    private func orderedPath(_ choice: IndexChoice) -> AccessPlan.Path? {
        guard plan.sorts.count == 1, plan.limit != nil, let sort = plan.sorts.first,
            sort.textOrder == .scalars, sort.path.start == .evaluatedObject,
            sort.path.relationships.isEmpty, sort.path.collectionOperator == nil,
            case .attribute(let attribute) = sort.path.leaf,
            let table = tables.index(of: attribute)
        else { return nil }
        switch choice.path {
        case .scan:
            return .orderedIndex(
                table, KeyRange(from: IndexKey.null, to: nil), slot: attribute,
                isAscending: sort.isAscending)
        case .index(let chosen, let ranges) where chosen == table && ranges.count == 1:
            return .orderedIndex(
                table, ranges[0], slot: attribute, isAscending: sort.isAscending)
        default: return nil
        }
    }

    private static func all(_ conjuncts: [BoundPredicate]) -> BoundPredicate? {
        conjuncts.count <= 1 ? conjuncts.first : .and(conjuncts)
    }
}

/// The best index for a list of conjuncts, and those that it does not decide.
private struct IndexChoice {
    var path = AccessPlan.Path.scan
    private(set) var rest: [BoundPredicate]

    init(_ conjuncts: [BoundPredicate], _ matcher: IndexMatcher) {
        let matches = conjuncts.map(matcher.match)
        rest = conjuncts.filter { $0 != .constant(true) }
        guard let best = matches.compactMap(\.self).min(by: { $0.rank < $1.rank }) else { return }
        path = best.path
        var decided: [BoundPredicate] = []
        for (conjunct, match) in zip(conjuncts, matches) {
            guard let match,
                let path = match.path.merged(into: path, isBest: match.rank == best.rank)
            else { continue }
            self.path = path
            if match.isExact { decided.append(conjunct) }
        }
        rest.removeAll(where: decided.contains)
    }
}

extension AccessPlan.Path {
    /// The way that both this and another one narrow down; nil where they are of different tables.
    fileprivate func merged(into other: Self, isBest: Bool) -> Self? {
        switch (self, other) {
        case (.index(let a, let left), .index(let b, let right))
        where a == b && left.count == 1 && right.count == 1:
            .index(a, [left[0].intersection(right[0])])
        case (.index(let a, let left), .index(let b, let right)) where a == b && left == right:
            other
        case (.keys(let left), .keys(let right)) where isBest && left == right: other
        case (.links(let a, let left), .links(let b, let right)) where a == b && left == right:
            other
        default: nil
        }
    }
}
