import CairnModel
import CairnStore

/// A running `SELECT`, read in batches in its own order.
///
/// Owns its statement while it runs; the connection's cache does not hand out a statement that is running.
/// The rows of a whole table are packed within the steps (``RowStatement/Form/function``). Other rows may be sorted by SQLite, and are read
/// column by column, after that.
final class SQLiteCursor: RowCursor {
    let completed: CompletedStages
    private let snapshot: SQLiteSnapshot
    private let codec: RowCodec
    private let plan: FetchPlan
    /// Whether the keys of the rows must grow, because the statement reads a table from its first row to its
    /// last. In a table whose pages are damaged, SQLite finds other keys and says nothing.
    private let readsTable: Bool
    /// `nil` at the end.
    private var rows: RowStatement?

    /// Runs the query up to its first row.
    ///
    /// - Parameter keys: the keys of a part of the table, if the query reads a whole table. `nil` means all.
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.engineFailure`, `.predicate`, `.cancelled`.
    init(
        _ query: FetchQuery, _ plan: FetchPlan, keys: ClosedRange<Int64>? = nil,
        on snapshot: SQLiteSnapshot
    ) throws(StoreError) {
        completed = query.completed
        codec = query.codec
        readsTable = query.readsTable
        self.plan = plan
        self.snapshot = snapshot
        rows = nil
        try StoreDeadline.check()
        try snapshot.reader.withConnection { connection throws(StoreError) in
            rows = try start(query, keys, on: connection)
        }
    }

    deinit {
        guard let rows else { return }
        // If the store was closed, that has reset its statements.
        try? snapshot.reader.withConnection { _ in rows.reset() }
    }

    /// Bound is not running: only the first step keeps the cache from sharing the statement.
    private func start(
        _ query: FetchQuery, _ keys: ClosedRange<Int64>?, on connection: SQLiteConnection
    ) throws(StoreError) -> RowStatement {
        let form = readsTable ? codec.rowForm(of: plan.output) : .columns
        let rows = RowStatement(
            try connection.query(query.rows(form, keys: keys)), form, codec: codec,
            store: snapshot.schema.store, of: plan)
        try rows.read(atMost: 1, on: connection)
        guard form == .function, rows.hasSorted else { return rows }
        // The key is not the table's own order, so rows were packed in another one.
        rows.reset()
        let sorted = RowStatement(
            try connection.query(query.rows(.columns, keys: keys)), .columns, codec: codec,
            store: snapshot.schema.store, of: plan)
        try sorted.read(atMost: 1, on: connection)
        return sorted
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        guard let rows else { return nil }
        do throws(StoreError) {
            try StoreDeadline.check()
            let batch = try snapshot.reader.withConnection { connection throws(StoreError) in
                try rows.read(atMost: max(1, count), on: connection)
                return rows.takeBatch()
            }
            if rows.isAtEnd { self.rows = nil }
            if readsTable, let key = rows.disorderedKey { throw disorder(key) }
            return batch.isEmpty ? nil : batch
        } catch {
            self.rows = nil
            try? snapshot.reader.withConnection { _ in rows.reset() }
            throw error
        }
    }

    private func disorder(_ key: Int64) -> StoreError {
        .corruptRow(
            at: codec.location, table: codec.table, column: nil, key: key,
            "the table's pages are not in the order of keys")
    }
}
