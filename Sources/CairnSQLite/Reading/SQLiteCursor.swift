import CairnModel
import CairnRows
import CairnStore

/// A running `SELECT` statement whose rows are read in batches, in the statement's order.
///
/// Owns its statement while it runs, because the connection's cache does not return running
/// statements. The rows of a whole table are packed within the steps
/// (``RowStatement/Form/function``). SQLite may have to sort other rows, so they are read column by
/// column after each step.
final class SQLiteCursor: RowCursor {
    let completed: CompletedStages
    private let reason: String?
    private var ended: FetchReport?
    private let snapshot: SQLiteSnapshot
    private let codec: RowCodec
    private let plan: FetchPlan
    /// Whether keys must increase from row to row, because the statement reads a table from its
    /// first to its last row. If pages of the table are damaged, SQLite may return other keys
    /// without reporting an error.
    private let readsTable: Bool
    /// The rows, or `nil` at the end.
    private var rows: RowStatement?

    /// Runs the query up to its first row.
    ///
    /// - Parameter keys: The keys of a part of the table, if the query reads a whole table. If
    ///   `nil`, all rows are read.
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.engineFailure`, `.predicate` or `.cancelled`.
    init(
        _ query: FetchQuery, _ plan: FetchPlan, keys: ClosedRange<Int64>? = nil,
        on snapshot: SQLiteSnapshot
    ) throws(StoreError) {
        completed = query.completed
        reason = query.reason
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

    var report: FetchReport? {
        guard var report = rows?.report ?? ended else { return nil }
        report.reason = reason
        return report
    }

    deinit {
        guard let rows else { return }
        // If the store was closed, its statements are already reset.
        try? snapshot.reader.withConnection { _ in rows.reset() }
    }

    /// Starts the statement and reads its first row. The first step is needed because the cache
    /// only withholds running statements, and a bound statement is not running yet.
    private func start(
        _ query: FetchQuery, _ keys: ClosedRange<Int64>?, on connection: SQLiteConnection
    ) throws(StoreError) -> RowStatement {
        let form = readsTable ? codec.rowForm(of: plan.output) : .columns
        let rows = RowStatement(
            try connection.query(query.rows(form, keys: keys)), form, codec: codec,
            store: snapshot.schema.store, of: plan)
        try rows.read(atMost: 1, on: connection)
        guard form == .function, rows.hasSorted else { return rows }
        // The table's own order is not that of the keys: rows were packed before they were sorted.
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
            if rows.isAtEnd { (ended, self.rows) = (rows.report, nil) }
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
            "the rows of the table are not in the order of their keys")
    }
}
