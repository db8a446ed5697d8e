import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// One state of an LMDB store: a read transaction that threads use in turn.
final class LMDBSnapshot: StoreSnapshot, @unchecked Sendable {
    // Unchecked: the transaction, the writer and `isEnded` are only used under `lock`, inside
    // `read` and
    // `end`.

    let generation: StoreGeneration
    let store: LMDBStore
    let tables: StoreTables
    let use: LMDBEnvironmentUse
    private let transaction: LMDBTransaction
    /// The writer of rows. It is kept, so that rows that are read one by one share a slab.
    private var writer: RowWriter
    private let lock = Lock()
    private var isEnded = false

    init(
        _ transaction: LMDBTransaction, _ use: LMDBEnvironmentUse, _ tables: StoreTables,
        store: LMDBStore
    ) {
        self.transaction = transaction
        self.use = use
        self.tables = tables
        self.store = store
        writer = RowWriter(store: store.number)
        generation = StoreGeneration(transaction.number)
    }

    deinit {
        // This must happen before the environment can close.
        transaction.abort()
    }

    /// Runs the body on the transaction. The body must not let pointers into the map escape, and
    /// must not call this method.
    ///
    /// - Throws: `.closed`; `.deadlineExceeded`; `.engineFailure` if the file was opened again
    ///   since; the errors of the body.
    func read<Result>(
        _ body: (LMDBTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try StoreDeadline.check()
        return try lock.withLock { () throws(StoreError) in
            try store.checkOpen()
            if isEnded { throw .closed(store.request.location) }
            return try use.environment.use { () throws(StoreError) in try body(transaction) }
        }
    }

    /// Ends the read transaction, so that saves may reuse the pages of its state.
    func end() {
        lock.withLock {
            isEnded = true
            transaction.abort()
        }
    }

    /// Returns `true` if this process may not write the lock file, through which writers otherwise
    /// learn of readers.
    func keepsOthersFromSaving() throws(StoreError) -> Bool {
        try store.checkOpen()
        return use.environment.readersExcludeWriters
    }

    func cursor(_ plan: FetchPlan) throws(StoreError) -> any RowCursor {
        try store.checkOpen()
        let access = try AccessPlanner(plan, self).make()
        guard plan.limit != nil, access.completed.remainingPredicate == nil,
            !access.completed.isSorted
        else { return try LMDBRowCursor(plan, access, snapshot: self) }
        var matches = plan
        matches.output = .rows
        // Return only the wanted matches, instead of all matches for the coordinator to sort.
        let order = RowOrder(plan.sorts, snapshot: self, layouts: tables.layouts)
        let page = try LMDBRowCursor(matches, access, snapshot: self)
            .sorted(by: order, atMost: plan.concernedCount)
            .paged(offset: plan.offset, limit: plan.limit)
        return plan.output == .rows ? page : page.withoutRows()
    }

    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        let own = ids.filter { $0.store == store.number }
        return try read { transaction throws(StoreError) in
            do throws(StoreError) {
                try RowReader(tables: tables, transaction: transaction)
                    .append(rowsFor: own, to: &writer)
            } catch {
                // Discard the rows before the damaged one.
                _ = writer.takeBatch()
                throw error
            }
            return writer.takeBatch()
        }
    }

    func row(for id: ObjectID) throws(StoreError) -> Row? {
        guard id.store == store.number else {
            try store.checkOpen()
            return nil
        }
        return try read { transaction throws(StoreError) in
            let reader = RowReader(tables: tables, transaction: transaction)
            try reader.append(rowFor: id, to: &writer)
            return writer.takeRow()
        }
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data {
        try store.checkOpen()
        // Rows of this engine contain all their values.
        throw .externalDataMissing(reference, path: store.request.location.description)
    }

    // MARK: Relationships

    func relatedIDs(
        _ relationship: Relationship, of ids: [ObjectID]
    ) throws(StoreError) -> RelatedIDs {
        try read { transaction throws(StoreError) in
            try MemberReader(tables: tables, transaction: transaction, store: store.number)
                .relatedIDs(relationship, of: ids)
        }
    }

    // MARK: Counting

    func count(_ plan: FetchPlan) throws(StoreError) -> Int? {
        var whole = plan
        (whole.sorts, whole.offset, whole.limit, whole.output) = ([], 0, nil, .ids)
        let access = try AccessPlanner(whole, self, countsOnly: true).make()
        guard access.completed.remainingPredicate == nil else {
            try store.checkOpen()
            return nil
        }
        let matches = try countMatches(whole, access)
        return min(max(matches - max(plan.offset, 0), 0), max(plan.limit ?? .max, 0))
    }

    private func countMatches(
        _ plan: FetchPlan, _ access: AccessPlan
    ) throws(StoreError) -> Int {
        let isWhole = plan.entityNumbers == plan.entity.rootEntity.hierarchyNumbers
        if access.filter == nil, isWhole, let count = try countByTable(plan.entity, access.path) {
            return count
        }
        let cursor = try LMDBRowCursor(plan, access, snapshot: self)
        var count = 0
        while let batch = try cursor.next(atMost: 10_000) { count += batch.count }
        return count
    }

    /// Counts without reading rows. Returns `nil` if that is not possible.
    func countByTable(
        _ entity: Entity, _ path: AccessPlan.Path
    ) throws(StoreError) -> Int? {
        try read { transaction throws(StoreError) in
            let reader = IndexReader(tables: tables, transaction: transaction)
            switch path {
            case .scan:
                let rows = tables.tables(of: entity.rootEntity.number)?.rows
                return try rows.map { rows throws(StoreError) in try transaction.count(of: rows) }
            case .index(let table, let ranges): return try reader.count(in: ranges, of: table)
            case .orderedIndex(let path):
                return try reader.count(in: [path.range], of: path.table)
            case .links(let table, let owners):
                return try reader.count(linkedTo: owners, in: table)
            case .keys: return nil
            case .union where path.mayNameMissingRows: return nil
            case .union: return try reader.keys(of: path).count
            }
        }
    }
}

extension LMDBSnapshot {
    /// Divides a fetch of all rows into parts by key ranges. Each part after the first one has its
    /// own read transaction, because LMDB allows only one thread at a time to use a transaction.
    func parts(
        of plan: FetchPlan, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [FetchPart] {
        guard plan.asksForAll,
            let keys = try keys(of: plan.entity.rootEntity, atMost: count, rowsEach: rowsEach)
        else { return [] }
        var snapshots = [self]
        while snapshots.count < keys.count {
            guard let another = another() else { return [] }
            snapshots.append(another)
        }
        return zip(snapshots, keys).map { snapshot, keys in
            FetchPart { () throws(StoreError) in
                let access = try AccessPlanner(plan, snapshot).make()
                return try LMDBRowCursor(plan, access, snapshot: snapshot, scannedKeys: keys)
            }
        }
    }

    /// Returns the key range of each part, or `nil` if there are too few rows for two parts.
    private func keys(
        of root: Entity, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [ClosedRange<Int64>]? {
        try read { transaction throws(StoreError) -> [ClosedRange<Int64>]? in
            guard let rows = tables.tables(of: root.number)?.rows else { return nil }
            let count = min(count, try transaction.count(of: rows) / max(1, rowsEach))
            guard count > 1 else { return nil }
            var cursor = try transaction.cursor(on: rows)
            guard let first = try cursor.go(.first), let last = try cursor.go(.last) else {
                return nil
            }
            let (lower, upper) = (try cursor.integer(first).key, try cursor.integer(last).key)
            // If the table is damaged, a single reader of the whole table reports what is wrong.
            guard lower < upper else { return nil }
            return (lower...upper).divided(into: count)
        }
    }

    /// Returns another snapshot of the same state. Returns `nil` if there is a newer state by now,
    /// or if no transaction can begin, for example because all reader slots are in use.
    private func another() -> LMDBSnapshot? {
        guard let transaction = try? use.environment.beginRead() else { return nil }
        let snapshot = LMDBSnapshot(transaction, use, tables, store: store)
        return snapshot.generation == generation ? snapshot : nil
    }
}
