import CairnStore

extension SQLiteSnapshot {
    /// Divides a fetch of a whole table by keys. Each part after the first has a connection of its own, with a
    /// transaction on the same state.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.deadlineExceeded`, `.engineFailure`.
    func parts(
        of plan: FetchPlan, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [FetchPart] {
        guard plan.asksForAll, let query = FetchQuery(plan, in: schema), query.readsTable,
            let keys = try keys(of: query.codec.table, atMost: count, rowsEach: rowsEach)
        else { return [] }
        var snapshots = [self]
        while snapshots.count < keys.count {
            guard let reader = reader.another() else { return [] }
            snapshots.append(SQLiteSnapshot(reader, schema: schema, externalData: externalData))
        }
        return zip(snapshots, keys).map { snapshot, keys in
            FetchPart { () throws(StoreError) in
                try SQLiteCursor(query, plan, keys: keys, on: snapshot)
            }
        }
    }

    /// Returns the keys of each part. Returns `nil` if there cannot be enough rows for two parts.
    ///
    /// Counting the rows of a table would read all of it. Rows that were deleted are counted here as if they
    /// were still there.
    private func keys(
        of table: SQLName, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [ClosedRange<Int64>]? {
        try reader.withConnection { connection throws(StoreError) -> [ClosedRange<Int64>]? in
            let last = try connection.integer("SELECT max(Z_PK) FROM \(table)")
            let rowsEach = Int64(max(1, rowsEach))
            // A store with few rows is not asked for its first key, too.
            guard last / rowsEach > 1 else { return nil }
            let first = try connection.integer("SELECT min(Z_PK) FROM \(table)")
            guard 0 < first, first < last else { return nil }
            let most = min(Int64(count), (last - first + 1) / rowsEach)
            return most > 1 ? (first...last).divided(into: Int(most)) : nil
        }
    }
}
