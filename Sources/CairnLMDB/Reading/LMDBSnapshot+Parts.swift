import CairnModel
import CairnStore

extension LMDBSnapshot {
    /// Divides a fetch of all rows into parts by key ranges. Each part after the first one has its
    /// own read transaction, because LMDB allows only one thread at a time to use a transaction.
    ///
    /// - Throws: `.closed`, `.corrupt` or `.engineFailure`.
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
