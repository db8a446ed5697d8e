import CairnModel
import CairnStore

/// The matches of a plan's entity and predicate, by key.
struct RowScan {
    private let rows: TableRows
    /// The only keys that can match, ascending; nil: all can.
    private var candidates: ArraySlice<Int64>?
    /// nil: all rows are of those that are asked for.
    private let entities: Range<EntityNumber>?
    private let filter: JoiningFilter?
    private let plan: FetchPlan
    private var position: TableRows.Position
    /// How many rows were tested so far.
    private(set) var testedCount = 0

    /// - Throws: `.predicate` for a predicate that binding would have refused; what finding related
    ///   objects throws.
    init(_ plan: FetchPlan, on snapshot: AtomicSnapshot) throws(StoreError) {
        self.plan = plan
        let resolver = snapshot.resolver
        rows = resolver.table.rows(root: plan.entity.rootEntity.number)
        let isAll = resolver.table.count(of: plan.entityNumbers) == rows.count
        entities = isAll ? nil : plan.entityNumbers
        position = rows.start
        guard let predicate = plan.predicate, predicate != .constant(true) else {
            (filter, candidates) = (nil, nil)
            return
        }
        let filter = try Self.filter(
            predicate, on: snapshot, isCancellable: plan.isCancellable)
        let finder = CandidateFinder(resolver, root: plan.entity.rootEntity.number)
        var keys = finder.keys(for: predicate)
        if filter.followsRelationships {
            try filter.prepare(testing: plan.expectedTestCount(among: keys?.count ?? rows.count))
            if filter.joins.count > 0 { keys = finder.keys(for: predicate, filter.joins) }
        }
        self.filter = filter
        candidates = keys.map { $0[...] }
    }

    private static func filter(
        _ predicate: BoundPredicate, on snapshot: AtomicSnapshot, isCancellable: Bool
    ) throws(StoreError) -> JoiningFilter {
        let resolver = snapshot.resolver
        let layouts = resolver.table.schema.layouts
        let planner = SemiJoinPlanner(
            snapshot, layouts: layouts, isCancellable: isCancellable
        ) { plan in
            plan.predicate.map {
                CandidateFinder(resolver, root: plan.entity.rootEntity.number).hasIndex(for: $0)
            } ?? false
        }
        do throws(FetchPredicateError) {
            return try JoiningFilter(
                predicate, layouts: layouts, resolver: resolver, planner: planner,
                isCancellable: isCancellable)
        } catch {
            throw .predicate(error)
        }
    }

    /// Whether testing a row means reading others.
    var followsRelationships: Bool { filter?.followsRelationships ?? false }

    /// How rows are chosen where each is looked at and its values say all; nil where they do not.
    private var choice: RowGathering.Choice? {
        candidates == nil
            ? RowGathering.Choice(entities: entities, filter: filter?.rowFilter) : nil
    }

    /// Returns the next matches, so many at most; an empty batch at the end.
    ///
    /// - Throws: what following a relationship throws; `.predicate`, `.cancelled`.
    mutating func next(atMost count: Int) throws(StoreError) -> RowBatch {
        guard let choice else {
            var matches: [Row] = []
            while matches.count < count, let row = try next() { matches.append(row) }
            return RowBatch(matches)
        }
        var gathering = RowGathering(expecting: filter == nil ? min(count, rows.count) : 0)
        while gathering.batch.count < count {
            try plan.checkCancellation()
            let used = try rows.withRun(from: &position) { run throws(StoreError) in
                try gathering.add(run, choice, upTo: count)
            }
            guard let used else { break }
            testedCount += used
        }
        return gathering.batch
    }

    /// Counts all matches.
    ///
    /// - Throws: what following a relationship throws; `.predicate`, `.cancelled`.
    mutating func count() throws(StoreError) -> Int {
        var count = 0
        guard let choice else {
            while try next() != nil { count += 1 }
            return count
        }
        while true {
            try plan.checkCancellation()
            let used = try rows.withRun(from: &position) { run throws(StoreError) in
                count += try RowGathering.count(run, choice)
                return run.count
            }
            guard let used else { return count }
            testedCount += used
        }
    }

    private mutating func next() throws(StoreError) -> Row? {
        while let row = nextRow() {
            try plan.checkCancellation()
            guard entities?.contains(row.entity) ?? true else { continue }
            testedCount += 1
            if try filter?.matches(row) ?? true { return row }
        }
        return nil
    }

    private mutating func nextRow() -> Row? {
        guard candidates != nil else { return rows.next(&position)?.row }
        while let key = candidates?.popFirst() {
            if let row = rows[key] { return row }
        }
        return nil
    }
}
