import CairnModel
import CairnStore

/// A running `SELECT`, read in batches.
///
/// Owns its statement while it runs; the connection's cache does not hand out one that is running.
final class SQLiteCursor: RowCursor {
    let completed: CompletedStages
    private let snapshot: SQLiteSnapshot
    private let codec: RowCodec
    private let plan: FetchPlan
    /// Stands at a row that was not read yet; nil at the end.
    private var statement: SQLiteStatement?
    private var writer: RowWriter

    /// Runs the query up to its first row.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.engineFailure`, `.predicate`, `.cancelled`.
    init(_ query: FetchQuery, _ plan: FetchPlan, on snapshot: SQLiteSnapshot) throws(StoreError) {
        completed = query.completed
        codec = query.codec
        self.plan = plan
        self.snapshot = snapshot
        writer = RowWriter(store: snapshot.schema.store)
        statement = nil
        try snapshot.withConnection(fetching: plan) { connection throws(StoreError) in
            let statement = try connection.query(query.rows)
            // Bound is not running: only a first step keeps the cache from sharing it.
            if try statement.step() { self.statement = statement }
        }
    }

    deinit {
        guard let statement else { return }
        // Where the store was closed, its connections were reset by that.
        try? snapshot.withConnection { _ in statement.reset() }
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        guard let statement else { return nil }
        let count = max(1, count)
        do throws(StoreError) {
            return try snapshot.withConnection(fetching: plan) { _ throws(StoreError) in
                switch plan.output {
                case .rows: try nextRows(statement, atMost: count)
                case .ids: try nextIDs(statement, atMost: count)
                }
            }
        } catch {
            self.statement = nil
            try? snapshot.withConnection { _ in statement.reset() }
            throw error
        }
    }

    private func nextRows(
        _ statement: SQLiteStatement, atMost count: Int
    ) throws(StoreError) -> RowBatch {
        var read = 0
        repeat {
            try codec.read(statement, into: &writer)
            read += 1
            guard try statement.step() else {
                self.statement = nil
                break
            }
        } while read < count
        return writer.takeBatch()
    }

    private func nextIDs(
        _ statement: SQLiteStatement, atMost count: Int
    ) throws(StoreError) -> RowBatch {
        var ids: [ObjectID] = []
        repeat {
            ids.append(try codec.readID(StatementColumns(statement)))
            guard try statement.step() else {
                self.statement = nil
                break
            }
        } while ids.count < count
        return RowBatch(ids: ids)
    }
}
