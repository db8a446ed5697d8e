import CairnModel
import CairnRows
import CairnStore

/// Reads all matches of a predicate in the order in which SQLite finds them, then sorts them by
/// key.
///
/// Holds the whole result in memory. If SQLite sorted the matches, their rows could not be packed
/// within its steps, and a fetch by an index would take 13 % more processor time (benchmark row J,
/// 1,000 of 100,000 objects).
final class KeySortingCursor: RowCursor {
    let completed: CompletedStages
    private let query: FetchQuery
    private let plan: FetchPlan
    private let snapshot: SQLiteSnapshot
    /// The matches, or `nil` before the first batch is requested.
    private var matches: RowBatch?
    private var position = 0
    /// `nil` before the first batch is requested.
    private(set) var report: FetchReport?

    init(_ query: FetchQuery, _ plan: FetchPlan, on snapshot: SQLiteSnapshot) {
        self.query = query
        self.plan = plan
        self.snapshot = snapshot
        completed = query.completed
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        let all = try allMatches()
        guard position < all.count else { return nil }
        let end = min(all.count, position + max(1, count))
        defer { position = end }
        return end - position == all.count ? all : all.slice(position..<end)
    }

    private func allMatches() throws(StoreError) -> RowBatch {
        if let matches { return matches }
        // Set this before reading, so that no batch is returned after an error.
        matches = RowBatch()
        let form = query.codec.rowForm(of: plan.output)
        let sql = query.unsortedRows(form)
        let (store, plan) = (snapshot.schema.store, plan)
        try StoreDeadline.check()
        let (found, isSorted) = try snapshot.reader.withConnection {
            connection throws(StoreError) in
            let rows = RowStatement(
                try connection.query(sql), form, codec: query.codec, store: store, of: plan)
            defer { rows.reset() }
            try rows.read(atMost: .max, on: connection)
            report = rows.report
            return (rows.takeBatch(), rows.disorderedKey == nil)
        }
        let sorted = isSorted ? found : found.sortedByKey()
        matches = sorted
        return sorted
    }
}

extension RowBatch {
    fileprivate func sortedByKey() -> RowBatch {
        let keys = (0..<count).map { id(at: $0).key }
        return selecting(keys.indices.sorted { keys[$0] < keys[$1] })
    }
}
