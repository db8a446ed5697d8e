import CairnStore

extension SQLiteSnapshot {
    /// Divides a fetch of a whole table into parts by key ranges. Each part after the first one has
    /// its own connection, with a transaction on the same state.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.deadlineExceeded` or `.engineFailure`.
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

    /// Returns the key range of each part, or `nil` if there cannot be enough rows for two parts.
    ///
    /// The number of rows is estimated from the keys, so deleted rows are included. Counting the
    /// rows would read the whole table.
    private func keys(
        of table: SQLName, atMost count: Int, rowsEach: Int
    ) throws(StoreError) -> [ClosedRange<Int64>]? {
        try reader.withConnection { connection throws(StoreError) -> [ClosedRange<Int64>]? in
            let last = try connection.integer("SELECT max(Z_PK) FROM \(table)")
            let rowsEach = Int64(max(1, rowsEach))
            // If the highest key shows that there are few rows, the lowest key need not be read.
            guard last / rowsEach > 1 else { return nil }
            let first = try connection.integer("SELECT min(Z_PK) FROM \(table)")
            guard 0 < first, first < last else { return nil }
            let most = min(Int64(count), (last - first + 1) / rowsEach)
            return most > 1 ? (first...last).divided(into: Int(most)) : nil
        }
    }
}
