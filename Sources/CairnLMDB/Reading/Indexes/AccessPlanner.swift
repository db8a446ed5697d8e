import CairnEngineKit
import CairnModel
import CairnStore

/// Chooses the access path to a plan's candidates.
///
/// A conjunct that follows relationships is evaluated with semi-joins if that pays off. Otherwise
/// it is left to the coordinator, which reads related rows for many objects at once. All other
/// conjuncts are evaluated here, with an index or on the rows.
struct AccessPlanner {
    private let plan: FetchPlan
    private let snapshot: LMDBSnapshot
    private let tables: StoreTables
    /// Whether the fetch only counts matches, so that links can be counted without reading rows.
    private let countsLinks: Bool
    private let innerFetches: InnerFetches?

    /// - Parameter countsOnly: Whether only the number of matches is needed.
    init(_ plan: FetchPlan, _ snapshot: LMDBSnapshot, countsOnly: Bool = false) {
        countsLinks =
            countsOnly && plan.predicate?.conjuncts.count == 1
            && plan.entityNumbers == plan.entity.rootEntity.hierarchyNumbers
        innerFetches = plan.isExplained ? InnerFetches() : nil
        self.plan = plan
        self.snapshot = snapshot
        tables = snapshot.tables
    }

    func make() throws(StoreError) -> AccessPlan {
        let conjuncts = plan.predicate?.conjuncts ?? []
        var joins = SemiJoins()
        var (own, remaining) = Self.split(conjuncts, joins)
        if !remaining.isEmpty {
            let count = try expectedTestCount(IndexChoice(own, matcher(joins)).path)
            _ = try joinPlanner.extend(&joins, for: .and(remaining), testing: count)
            (own, remaining) = Self.split(conjuncts, joins)
        }
        var choice = IndexChoice(own, matcher(joins))
        var isSorted = plan.sorts.isEmpty || sortsByKey
        if !isSorted, remaining.isEmpty, let path = orderedPath(choice) {
            isSorted = plan.sorts.count == 1
            if isSorted {
                choice.path = .orderedIndex(path)
            } else if choice.rest.isEmpty, let first = try firstKeys(path) {
                choice.path = .keys(first)
            }
            switch choice.path {
            case .orderedIndex, .keys:
                choice.access = ["index of \(path.attribute.indexName): its order"]
            default: break
            }
        }
        var completed = CompletedStages()
        completed.remainingPredicate = Self.all(remaining)
        completed.isSorted = plan.sorts.isEmpty || (isSorted && remaining.isEmpty)
        completed.isPaged =
            (plan.offset <= 0 && plan.limit == nil) || (isSorted && remaining.isEmpty)
        return AccessPlan(
            path: choice.path, filter: Self.all(choice.rest), joins: joins, completed: completed,
            access: choice.access, innerFetches: innerFetches)
    }

    /// Returns the keys of all rows that can be among the wanted ones because of the first of several sort
    /// keys. Returns `nil` if rows have to be tested for that.
    private func firstKeys(_ path: AccessPlan.OrderedPath) throws(StoreError) -> [Int64]? {
        guard let wanted = plan.concernedCount,
            plan.entityNumbers == plan.entity.rootEntity.hierarchyNumbers
        else { return nil }
        return try snapshot.read { transaction throws(StoreError) in
            try IndexReader(tables: tables, transaction: transaction)
                .orderedKeys(of: path, root: plan.entity.rootEntity.number, atLeast: wanted)
                .sorted()
        }
    }

    /// Splits the conjuncts into those that a row's own values decide, and the others.
    private static func split(
        _ conjuncts: [BoundPredicate], _ joins: SemiJoins
    ) -> (own: [BoundPredicate], remaining: [BoundPredicate]) {
        var (own, remaining): ([BoundPredicate], [BoundPredicate]) = ([], [])
        for conjunct in conjuncts {
            if conjunct.followsRelationships(besides: joins) {
                remaining.append(conjunct)
            } else {
                own.append(conjunct)
            }
        }
        return (own, remaining)
    }

    private func matcher(_ joins: SemiJoins) -> IndexMatcher {
        IndexMatcher(
            plan.entity, tables: tables, store: snapshot.store.number, joins: joins,
            countsLinks: countsLinks, explains: plan.isExplained)
    }

    private var joinPlanner: SemiJoinPlanner {
        SemiJoinPlanner(
            snapshot, layouts: tables.layouts, isCancellable: plan.isCancellable,
            innerFetches: innerFetches
        ) { [snapshot] plan in
            let matcher = IndexMatcher(
                plan.entity, tables: snapshot.tables, store: snapshot.store.number,
                joins: SemiJoins())
            guard let predicate = plan.predicate else { return false }
            return matcher.match(predicate) != nil
                || matcher.matchUnique(predicate.conjuncts) != nil
        }
    }

    /// Returns about how many rows of the path have to be tested.
    private func expectedTestCount(_ path: AccessPlan.Path) throws(StoreError) -> Int {
        let found: Int?
        switch path {
        case .keys(let keys): found = keys.count
        case .index(_, let ranges) where !ranges.allSatisfy(\.isOneKey):
            // Counting a range would visit each of its values.
            found = try snapshot.countByTable(plan.entity, .scan).map { $0 / 4 }
        default: found = try snapshot.countByTable(plan.entity, path)
        }
        return plan.expectedTestCount(among: found ?? .max)
    }

    private var sortsByKey: Bool {
        guard let sort = plan.sorts.first, sort.isAscending else { return false }
        return sort.path.start == .evaluatedObject && sort.path.relationships.isEmpty
            && sort.path.leaf == .object && sort.path.collectionOperator == nil
    }

    /// Returns the path along an index that has the plan's order, if only some of the rows are
    /// wanted.
    private func orderedPath(_ choice: IndexChoice) -> AccessPlan.OrderedPath? {
        guard plan.limit != nil, let sort = plan.sorts.first, let attribute = sort.ownAttribute,
            let table = tables.index(of: attribute)
        else { return nil }
        var range = KeyRange(from: IndexKey.null, to: nil)
        switch choice.path {
        case .scan: break
        case .index(let chosen, let ranges) where chosen == table && ranges.count == 1:
            range = ranges[0]
        default: return nil
        }
        return AccessPlan.OrderedPath(
            table: table, range: range, attribute: attribute, isAscending: sort.isAscending)
    }

    private static func all(_ conjuncts: [BoundPredicate]) -> BoundPredicate? {
        conjuncts.count <= 1 ? conjuncts.first : .and(conjuncts)
    }
}

/// The best index for a list of conjuncts, and the conjuncts that it does not decide.
private struct IndexChoice {
    var path = AccessPlan.Path.scan
    /// The indexes of the path, in words.
    var access: [String] = []
    private(set) var rest: [BoundPredicate]

    init(_ conjuncts: [BoundPredicate], _ matcher: IndexMatcher) {
        rest = []
        var best = matcher.matchUnique(conjuncts)
        var bestIndex: Int?
        var matches: [IndexMatcher.Match?] = []
        matches.reserveCapacity(conjuncts.count)
        for conjunct in conjuncts {
            let match = matcher.match(conjunct)
            if let match, match.rank < best?.rank ?? .max {
                best = match
                bestIndex = matches.count
            }
            matches.append(match)
        }
        guard let best else {
            addRest(conjuncts)
            return
        }
        path = best.path
        access = [best.access]
        for (index, conjunct) in conjuncts.enumerated() {
            if index == bestIndex {
                if !best.isExact { addRest([conjunct]) }
                continue
            }
            let match = matches[index]
            if let merged = match?.path.merged(into: path, isBest: match?.rank == best.rank) {
                path = merged
                if match?.isExact == true { continue }
            }
            addRest([conjunct])
        }
    }

    private mutating func addRest(_ conjuncts: [BoundPredicate]) {
        rest += conjuncts.filter { $0 != .constant(true) }
    }
}

extension AccessPlan.Path {
    /// Whether keys of the path come from the predicate, so that they may have no row.
    var mayNameMissingRows: Bool {
        switch self {
        case .keys: true
        case .union(let paths): paths.contains(where: \.mayNameMissingRows)
        case .scan, .index, .orderedIndex, .links: false
        }
    }

    /// Returns the path that satisfies both this path and another one, or `nil` if the two cannot
    /// be combined.
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

/// How a fetch finds its candidates, and the predicate that is left to test on each of them.
struct AccessPlan {
    /// The source of the candidates.
    enum Path {
        /// All rows of the root entity, in key order.
        case scan
        /// The rows with these keys, in key order.
        case keys([Int64])
        /// The rows whose values are in these ranges of an index, in key order.
        case index(LMDBTable, [KeyRange])
        /// Rows in the order of an index.
        case orderedIndex(OrderedPath)
        /// The rows whose to-one relationship leads to one of these keys, in key order.
        case links(LMDBTable, [Int64])
        /// The rows of several paths, in key order.
        case union([Path])
    }

    /// The rows whose values are in a range of an index, in the order of the values.
    struct OrderedPath {
        let table: LMDBTable
        let range: KeyRange
        let attribute: Attribute
        let isAscending: Bool
    }

    var path: Path
    /// The predicate that is tested on each candidate's row. `nil` if nothing is left to test.
    var filter: BoundPredicate?
    /// The results for those comparisons of the filter that follow relationships.
    var joins: SemiJoins
    var completed: CompletedStages
    /// The indexes of the path, in words.
    var access: [String]
    /// The fetches that found the semi-joins, if the plan is to be explained.
    var innerFetches: InnerFetches?
}

extension BoundPredicate {
    /// Returns whether testing a row requires reading other rows.
    ///
    /// - Parameter joins: The known results for some of the comparisons.
    func followsRelationships(besides joins: SemiJoins) -> Bool {
        switch self {
        case .constant: false
        case .not(let part): part.followsRelationships(besides: joins)
        case .and(let parts), .or(let parts):
            parts.contains { $0.followsRelationships(besides: joins) }
        case .comparison(let comparison):
            joins[comparison] == nil && comparison.followsRelationships
        }
    }

    fileprivate var followsRelationships: Bool { followsRelationships(besides: SemiJoins()) }
}

extension BoundComparison {
    fileprivate var followsRelationships: Bool {
        left.followsRelationships || right.followsRelationships
    }
}

extension BoundExpression {
    fileprivate var followsRelationships: Bool {
        switch self {
        case .constant: false
        case .list(let items): items.contains(where: \.followsRelationships)
        case .function(_, let arguments), .call(_, let arguments):
            arguments.contains(where: \.followsRelationships)
        case .subqueryCount: true
        case .conditional(let condition, let then, let otherwise):
            condition.followsRelationships || then.followsRelationships
                || otherwise.followsRelationships
        case .path(let path):
            // A row contains the destinations of its to-one relationships.
            !(path.relationships.isEmpty
                || path.relationships.count == 1 && path.leaf == .object && !path.isToMany)
        }
    }
}
