import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore

/// The result of a fetch: candidates from the ``AccessPlan``, tested on their rows.
///
/// Holds no LMDB cursor between two calls, so the map may move in the meantime.
final class LMDBRowCursor: VisitingCursor {
    let completed: CompletedStages

    /// The source of the next candidates.
    private enum Candidates {
        /// The rows from this key up to the last of the cursor's keys.
        case scan(from: Int64)
        /// The rows with these keys, from the index `next` on.
        case keys([Int64], next: Int)
    }

    private let plan: FetchPlan
    private let snapshot: LMDBSnapshot
    private let root: EntityNumber
    private let rows: LMDBTable?
    private let access: AccessPlan
    /// How many keys of an ordered index are looked up at first. There may be more if rows are tested.
    private var mostOrdered: Int
    /// The key range that a scan covers.
    private let scannedKeys: ClosedRange<Int64>
    private let filter: RowFilter?
    /// Whether the root's hierarchy may contain rows of entities that are not in the plan.
    private let hasOtherEntities: Bool
    /// The number of candidates that were examined so far. An index keeps it low.
    private(set) var candidateCount = 0
    private var writer: RowWriter
    private var candidates: Candidates?
    private var toSkip: Int
    /// The number of matches that may still be returned.
    private var remaining: Int
    /// Matches that were found but not returned yet.
    private var pending = RowBatch()

    /// The minimum number of candidates in a step with a filter. With fewer, the calls would cost
    /// more than the rows.
    private static let fewestCandidates = 256

    /// - Parameter scannedKeys: The key range that a scan covers.
    /// - Throws: `.predicate` for a predicate that binding would have rejected.
    init(
        _ plan: FetchPlan, _ access: AccessPlan, snapshot: LMDBSnapshot,
        scannedKeys: ClosedRange<Int64> = 0 ... .max
    ) throws(StoreError) {
        self.plan = plan
        self.snapshot = snapshot
        root = plan.entity.rootEntity.number
        rows = snapshot.tables.tables(of: root)?.rows
        self.access = access
        self.scannedKeys = scannedKeys
        completed = access.completed
        filter = try Self.filter(access, snapshot, isCancellable: plan.isCancellable)
        hasOtherEntities = plan.entityNumbers != plan.entity.rootEntity.hierarchyNumbers
        writer = RowWriter(store: snapshot.store.number)
        toSkip = completed.isPaged ? max(plan.offset, 0) : 0
        remaining = completed.isPaged ? max(plan.limit ?? .max, 0) : .max
        mostOrdered = plan.concernedCount ?? .max
        if filter != nil || hasOtherEntities {
            mostOrdered = max(mostOrdered, Self.fewestCandidates)
        }
    }

    var report: FetchReport? {
        var report = FetchReport(access: access.access, rowsRead: candidateCount)
        access.innerFetches?.complete(&report)
        if completed.remainingPredicate != nil {
            report.reason =
                "the predicate follows relationships, for so few rows that reading related rows costs"
                + " less than searching from the other end"
        } else if !completed.isSorted, plan.limit == nil {
            report.reason = "all matches are wanted, which are sorted after they have been read"
        }
        return report
    }

    private static func filter(
        _ access: AccessPlan, _ snapshot: LMDBSnapshot, isCancellable: Bool
    ) throws(StoreError) -> RowFilter? {
        guard let predicate = access.filter else { return nil }
        let layouts = snapshot.tables.layouts
        do {
            return try RowFilter(
                predicate, layouts: layouts,
                resolver: SnapshotResolver(snapshot, layouts: layouts), joins: access.joins,
                isCancellable: isCancellable)
        } catch {
            throw .predicate(error)
        }
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        try snapshot.store.checkOpen()
        let wanted = min(max(count, 1), remaining)
        while wanted > 0, pending.count < wanted, let found = try nextMatches(wanted) {
            pending.append(found)
        }
        guard wanted > 0, !pending.isEmpty else { return nil }
        let batch = pending.count <= wanted ? pending : pending.slice(0..<wanted)
        pending = pending.count <= wanted ? RowBatch() : pending.slice(wanted..<pending.count)
        remaining -= batch.count
        return batch
    }

    func forEachMatch(_ body: (RowPointer) -> Void) throws(StoreError) {
        try snapshot.store.checkOpen()
        let isInPlace = filter == nil || filter?.quickTest != nil
        try withoutActuallyEscaping(body) { body throws(StoreError) in
            while true {
                try plan.checkCancellation()
                guard let batch = try nextCandidates(4096, isInPlace ? body : nil) else { return }
                guard !isInPlace, let filter else { continue }
                let matches = try filter.filter(batch)
                for index in matches.rowIndices { body(matches.pointer(at: index)) }
            }
        }
    }

    /// Returns some of the next matches. The result may be empty although more matches follow.
    /// Returns `nil` at the end.
    private func nextMatches(_ wanted: Int) throws(StoreError) -> RowBatch? {
        try plan.checkCancellation()
        let isSelective = filter != nil || hasOtherEntities
        let skipping = min(toSkip, 10_000)
        let most =
            isSelective
            ? max(wanted, Self.fewestCandidates) : min(wanted, .max - skipping) + skipping
        guard var batch = try nextCandidates(most) else { return nil }
        if let filter, filter.quickTest == nil {
            batch = try filter.filter(batch)
            if plan.output == .ids { batch = RowBatch(ids: batch.ids) }
        }
        guard toSkip > 0 else { return batch }
        let skipped = min(toSkip, batch.count)
        toSkip -= skipped
        return batch.slice(skipped..<batch.count)
    }

    // MARK: Candidates

    /// Returns the next candidates of the plan's entities, except those that the filter's quick
    /// test excludes. Returns `nil` at the end.
    ///
    /// - Parameter visit: Called with each candidate's row, which is not copied. The batch is then
    ///   empty.
    private func nextCandidates(
        _ most: Int, _ visit: ((RowPointer) -> Void)? = nil
    ) throws(StoreError) -> RowBatch? {
        guard let rows else { return nil }
        return try snapshot.read { transaction throws(StoreError) in
            if candidates == nil { candidates = try firstCandidates(transaction) }
            let output = CandidateWriter(self, transaction, visit)
            switch candidates {
            case nil: return nil
            case .scan(let key): return try scan(rows, from: key, most, transaction, output)
            case .keys(var keys, let next):
                if next >= keys.count { keys = try moreKeys(after: keys, transaction) }
                return try get(keys, from: next, rows, most, transaction, output)
            }
        }
    }

    private func firstCandidates(_ transaction: LMDBTransaction) throws(StoreError) -> Candidates {
        let reader = IndexReader(tables: snapshot.tables, transaction: transaction)
        return switch access.path {
        case .scan: .scan(from: scannedKeys.lowerBound)
        case .orderedIndex(let path):
            .keys(try reader.orderedKeys(of: path, root: root, atLeast: mostOrdered), next: 0)
        case .keys, .index, .links, .union: .keys(try reader.keys(of: access.path), next: 0)
        }
    }

    /// Returns the keys of an ordered index that were looked up so far, followed by more keys if there are
    /// more.
    private func moreKeys(
        after keys: [Int64], _ transaction: LMDBTransaction
    ) throws(StoreError) -> [Int64] {
        guard case .orderedIndex(let path) = access.path, keys.count >= mostOrdered else {
            return keys
        }
        // Looking up all keys from the start costs less than half as much again, in total.
        mostOrdered = mostOrdered.multipliedReportingOverflow(by: 4).partialValue
        return try IndexReader(tables: snapshot.tables, transaction: transaction)
            .orderedKeys(of: path, root: root, atLeast: mostOrdered)
    }

    private func scan(
        _ rows: LMDBTable, from first: Int64, _ most: Int, _ transaction: LMDBTransaction,
        _ output: CandidateWriter
    ) throws(StoreError) -> RowBatch? {
        var cursor = try transaction.cursor(on: rows)
        var row = try cursor.seek(first).map { entry throws(StoreError) in
            try cursor.integer(entry)
        }
        var ids: [ObjectID] = []
        var visited = 0
        // `nil` after the greatest possible key.
        var next: Int64? = first
        defer {
            candidates = next.map { .scan(from: $0) } ?? .keys([], next: 0)
            candidateCount += visited
            StepCounter.reportRows(visited)
        }
        // Access the writer once, instead of once for each row.
        try Self.write(&writer) { writer throws(StoreError) in
            while let current = row, visited < most, current.key <= scannedKeys.upperBound {
                visited += 1
                // The cursor ensures that keys increase, also from one batch to the next.
                try output.add(current.value, key: current.key, to: &writer, &ids)
                next = current.key < .max ? current.key + 1 : nil
                row = try cursor.next(after: current.key)
            }
        }
        return visited == 0 ? nil : take(ids)
    }

    private func get(
        _ keys: [Int64], from first: Int, _ rows: LMDBTable, _ most: Int,
        _ transaction: LMDBTransaction, _ output: CandidateWriter
    ) throws(StoreError) -> RowBatch? {
        guard first < keys.count else { return nil }
        let end = first + min(most, keys.count - first)
        var cursor = try transaction.cursor(on: rows)
        var ids: [ObjectID] = []
        var found = 0
        try Self.write(&writer) { writer throws(StoreError) in
            var last: Int64?
            for key in keys[first..<end] {
                guard let value = try cursor.get(key, after: last) else {
                    guard access.path.mayNameMissingRows else { throw output.missing(key) }
                    last = nil
                    continue
                }
                last = key
                found += 1
                try output.add(value, key: key, to: &writer, &ids)
            }
        }
        candidates = .keys(keys, next: end)
        candidateCount += found
        StepCounter.reportRows(found)
        return take(ids)
    }

    @inline(__always) private static func write(
        _ writer: inout RowWriter, _ body: (inout RowWriter) throws(StoreError) -> Void
    ) throws(StoreError) {
        try body(&writer)
    }

    private func take(_ ids: [ObjectID]) -> RowBatch {
        ids.isEmpty ? writer.takeBatch() : RowBatch(ids: ids)
    }

    /// Adds candidates of the plan's entities to the result: rows, or IDs if no rows are needed.
    ///
    /// Rows are tested in the map, and only matches are copied. For a scan with few matches, this
    /// takes a quarter fewer instructions.
    private struct CandidateWriter {
        private let reader: RowReader
        private let root: EntityNumber
        private let entities: Range<EntityNumber>?
        // These are not optional, because unwrapping an optional would count a reference for each
        // row.
        private let test: ValuesTest
        private let visit: (RowPointer) -> Void
        /// Whether rows are tested.
        private let isTesting: Bool
        /// Whether rows are visited instead of copied.
        private let isVisiting: Bool
        /// Whether the result consists of IDs, and rows are not tested later.
        private let takesIDs: Bool
        private let store: StoreNumber

        init(
            _ cursor: LMDBRowCursor, _ transaction: LMDBTransaction,
            _ visit: ((RowPointer) -> Void)?
        ) {
            reader = RowReader(tables: cursor.snapshot.tables, transaction: transaction)
            root = cursor.root
            entities = cursor.hasOtherEntities ? cursor.plan.entityNumbers : nil
            let quickTest = cursor.filter?.quickTest
            test = quickTest ?? .always
            isTesting = quickTest != nil
            isVisiting = visit != nil
            // Not with `??`, which would wrap the closure in another one.
            if let visit { self.visit = visit } else { self.visit = { _ in } }
            takesIDs = cursor.plan.output == .ids && (cursor.filter == nil || isTesting)
            store = cursor.snapshot.store.number
        }

        @inline(__always) func add(
            _ value: UnsafeRawBufferPointer, key: Int64, to writer: inout RowWriter,
            _ ids: inout [ObjectID]
        ) throws(StoreError) {
            let takesIDAlone = takesIDs && !isTesting
            if takesIDAlone || entities != nil {
                let entity = try reader.entity(of: value, key: key, root: root)
                if let entities, !entities.contains(entity) { return }
                if takesIDAlone { return ids.append(id(key, entity)) }
            }
            let row = try reader.row(in: value, key: key, root: root, &writer)
            if isTesting, !test(row) { return }
            if isVisiting { return visit(row) }
            if takesIDs { ids.append(id(key, row.entity)) } else { writer.append(copyOf: row) }
        }

        @inline(__always) private func id(_ key: Int64, _ entity: EntityNumber) -> ObjectID {
            ObjectID(store: store, rootEntity: root, entity: entity, key: key)
        }

        func missing(_ key: Int64) -> StoreError {
            reader.corrupt(key, root, "an index contains the row's key, but the row does not exist")
        }
    }
}
