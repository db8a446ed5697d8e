import CairnModel
import CairnRows
import CairnStore

/// A scan that returns the rows that match a plan's entity and predicate, sorted by key.
struct RowScan {
    /// The rows that may match and have not been tested yet.
    private enum Candidates {
        /// All rows from the position on.
        case all(TableRows.Position)
        case keys(KeyedRows)
    }

    private let rows: TableRows
    private var candidates: Candidates
    /// The entities whose rows may match, or `nil` for all entities.
    private let entities: Range<EntityNumber>?
    private let filter: JoiningFilter?
    /// The rest of a walk in the order of the plan, if that may read fewer rows than sorting all
    /// matches.
    private var walk: IndexWalk?
    /// The indexes that named the candidates, in words.
    private var access: [String] = []
    private let innerFetches: InnerFetches?
    private let plan: FetchPlan
    /// The number of rows that have been tested.
    private(set) var testedCount = 0

    /// - Throws: `.predicate` for a predicate that was not bound; the errors of finding related
    ///   objects.
    init(_ plan: FetchPlan, on snapshot: ContentSnapshot) throws(StoreError) {
        self.plan = plan
        let resolver = snapshot.resolver
        rows = resolver.table.rows(root: plan.entity.rootEntity.number)
        let isAll = resolver.table.count(of: plan.entityNumbers) == rows.count
        entities = isAll ? nil : plan.entityNumbers
        candidates = .all(rows.start)
        innerFetches = plan.isExplained ? InnerFetches() : nil
        let finder = CandidateFinder(resolver, plan.entity)
        walk = finder.walk(for: plan)
        if let attribute = plan.sorts.first?.ownAttribute, walk != nil {
            access = ["index of \(attribute.indexName): its order"]
        }
        guard let predicate = plan.predicate, predicate != .constant(true) else {
            filter = nil
            return
        }
        let filter = try Self.filter(predicate, plan, on: snapshot, innerFetches)
        self.filter = filter
        let most = walk == nil ? .max : Self.mostSorted(plan, among: rows.count)
        var found = finder.candidates(for: predicate, atMost: most)
        if filter.followsRelationships {
            let count = plan.expectedTestCount(among: found?.keys.count ?? rows.count)
            try filter.prepare(testing: count)
            if filter.joins.count > 0 {
                found = finder.candidates(for: predicate, filter.joins, atMost: most)
            }
        }
        guard let found else { return }
        candidates = .keys(KeyedRows(found.keys))
        access = [found.access]
        walk = nil
    }

    /// Returns the number of candidates for which reading and sorting all of them probably costs less
    /// than a walk in the plan's order, which also passes rows that are no candidates.
    private static func mostSorted(_ plan: FetchPlan, among rowCount: Int) -> Int {
        let wanted = max(1, plan.concernedCount ?? rowCount)
        return max(16, Int((Double(wanted) * Double(rowCount)).squareRoot()))
    }

    private static func filter(
        _ predicate: BoundPredicate, _ plan: FetchPlan, on snapshot: ContentSnapshot,
        _ innerFetches: InnerFetches?
    ) throws(StoreError) -> JoiningFilter {
        let isCancellable = plan.isCancellable
        let resolver = snapshot.resolver
        let layouts = resolver.table.schema.layouts
        let planner = SemiJoinPlanner(
            snapshot, layouts: layouts, isCancellable: isCancellable, innerFetches: innerFetches
        ) { plan in
            plan.predicate.map { CandidateFinder(resolver, plan.entity).hasIndex(for: $0) } ?? false
        }
        do {
            return try JoiningFilter(
                predicate, layouts: layouts, resolver: resolver, planner: planner,
                isCancellable: isCancellable)
        } catch {
            throw .predicate(error)
        }
    }

    /// Whether testing a row requires reading other rows.
    var followsRelationships: Bool { filter?.followsRelationships ?? false }

    /// The condition for rows, if it depends only on the values of each row, otherwise `nil`.
    private var choice: RowGathering.Choice? {
        RowGathering.Choice(entities: entities, filter: filter?.rowFilter)
    }

    /// An estimate of the number of rows to look at.
    var candidateCount: Int {
        switch candidates {
        case .all: rows.count
        case .keys(let keys): keys.count
        }
    }

    /// Calls the body with some of the next candidates. See ``TableRows/withRun(from:_:)``.
    private mutating func withRun(
        _ body: (RowRun) throws(StoreError) -> Int
    ) throws(StoreError) -> Int? {
        let used = try withUncountedRun(body)
        StepCounter.reportRows(used ?? 0)
        return used
    }

    private mutating func withUncountedRun(
        _ body: (RowRun) throws(StoreError) -> Int
    ) throws(StoreError) -> Int? {
        switch candidates {
        case .all(var position):
            defer { candidates = .all(position) }
            return try rows.withRun(from: &position, body)
        case .keys(var keys):
            // Make sure that no other value shares the keys while they change. Otherwise they would
            // be copied.
            candidates = .all(rows.start)
            defer { candidates = .keys(keys) }
            return try keys.withRun(in: rows, body)
        }
    }

    /// What the scan has done so far.
    var report: FetchReport {
        var report = FetchReport(access: access, rowsRead: testedCount)
        innerFetches?.complete(&report)
        return report
    }

    /// Whether the next matches can be read in the order of the plan's first sort key.
    var canWalk: Bool { walk != nil }

    /// Returns the matches among the next rows in the order of the plan's first sort key, in any order.
    /// All rows with equal values of that key are in one batch. Looks at `count` rows or more. Returns
    /// `nil` at the end.
    mutating func nextInOrder(lookingAt count: Int) throws(StoreError) -> RowBatch? {
        guard let keys = walk?.keys(atLeast: max(1, count)), !keys.isEmpty else { return nil }
        candidates = .keys(KeyedRows(keys))
        return try next(atMost: .max)
    }

    /// Ends reading in the order of the plan, so that all matches can be read in key order.
    mutating func endWalk() {
        walk = nil
        access = []
        candidates = .all(rows.start)
    }

    /// Returns the next matches, at most `count` of them. Returns an empty batch at the end.
    mutating func next(atMost count: Int) throws(StoreError) -> RowBatch {
        guard let choice else {
            var matches: [Row] = []
            while matches.count < count, let row = try next() { matches.append(row) }
            return RowBatch(matches)
        }
        var gathering = RowGathering(expecting: filter == nil ? min(count, candidateCount) : 0)
        while gathering.batch.count < count {
            try plan.checkCancellation()
            let used = try withRun { run throws(StoreError) in
                try gathering.add(run, choice, upTo: count)
            }
            guard let used else { break }
            testedCount += used
        }
        return gathering.batch
    }

    /// Counts all matches.
    mutating func count() throws(StoreError) -> Int {
        var count = 0
        guard let choice else {
            while try next() != nil { count += 1 }
            return count
        }
        try forEachRun { run throws(StoreError) in count += try RowGathering.count(run, choice) }
        return count
    }

    /// Calls the body with a pointer to each match. The pointer is valid during the call.
    mutating func forEach(_ body: (RowPointer) -> Void) throws(StoreError) {
        guard let choice else {
            while let row = try next() { body(row.pointer) }
            return
        }
        try forEachRun { run throws(StoreError) in try RowGathering.forEach(run, choice, body) }
    }

    private mutating func forEachRun(
        _ body: (RowRun) throws(StoreError) -> Void
    ) throws(StoreError) {
        while true {
            try plan.checkCancellation()
            let used = try withRun { run throws(StoreError) in
                try body(run)
                return run.count
            }
            guard let used else { return }
            testedCount += used
        }
    }

    private mutating func next() throws(StoreError) -> Row? {
        while let row = nextRow() {
            try plan.checkCancellation()
            testedCount += 1
            StepCounter.reportRows(1)
            guard entities?.contains(row.entity) ?? true else { continue }
            if try filter?.matches(row) ?? true { return row }
        }
        return nil
    }

    private mutating func nextRow() -> Row? {
        switch candidates {
        case .all(var position):
            defer { candidates = .all(position) }
            return rows.next(&position)?.row
        case .keys(var keys):
            candidates = .all(rows.start)
            defer { candidates = .keys(keys) }
            return keys.next(in: rows)
        }
    }
}

/// The rows with certain keys. Rows are looked up in batches, which avoids reference counting for each row.
struct KeyedRows {
    /// The keys that have not been looked up yet, in ascending order.
    private var keys: ArraySlice<Int64>
    /// The addresses of rows that have been looked up but not used yet.
    private var addresses: ArraySlice<RowAddress> = []

    /// - Parameter keys: the keys in ascending order. Keys without a row are left out.
    init(_ keys: [Int64]) { self.keys = keys[...] }

    /// An upper bound for the number of remaining rows.
    var count: Int { keys.count + addresses.count }

    /// Calls the body with one or more of the next rows. The body returns how many of the rows it used, and
    /// the next call begins after them. Returns that number, or `nil` at the end.
    mutating func withRun<Failure: Error>(
        in rows: TableRows, _ body: (RowRun) throws(Failure) -> Int
    ) throws(Failure) -> Int? {
        guard find(in: rows) else { return nil }
        let used = try addresses.withUnsafeBufferPointer { addresses throws(Failure) in
            try body(rows.run(of: addresses))
        }
        addresses = addresses.dropFirst(used)
        return used
    }

    /// Returns the next row, or `nil` at the end.
    mutating func next(in rows: TableRows) -> Row? {
        while find(in: rows), let address = addresses.popFirst() {
            if let row = rows.row(at: address) { return row }
        }
        return nil
    }

    /// Looks up more rows if all rows that were looked up have been used. Returns `false` at the
    /// end.
    private mutating func find(in rows: TableRows) -> Bool {
        while addresses.isEmpty {
            if keys.isEmpty { return false }
            let next = keys.prefix(256)
            keys = keys.dropFirst(next.count)
            addresses = rows.addresses(of: next)[...]
        }
        return true
    }
}
