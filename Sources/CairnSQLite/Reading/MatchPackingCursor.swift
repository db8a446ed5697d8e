import CairnModel
import CairnStore

/// Reads all matches of a predicate, packed by one step of a statement, in the order of keys.
///
/// SQLite finds them in the order of the index or table that it reads; where that is not the order
/// of keys, they are sorted here. Holds the whole answer.
final class MatchPackingCursor: RowCursor {
    let completed: CompletedStages
    private let query: FetchQuery
    private let plan: FetchPlan
    private let snapshot: SQLiteSnapshot
    /// `nil` before the first batch is asked for.
    private var matches: RowBatch?
    private var position = 0

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
        // Until they are there: after an error nothing follows.
        matches = RowBatch()
        let packing = RowStatement(
            codec: query.codec, store: snapshot.schema.store, output: plan.output)
        let sql = query.packed
        let found = try snapshot.withConnection(fetching: plan) { connection throws(StoreError) in
            let statement = try connection.statement(sql.text)
            try statement.bind(sql.parameters)
            return try packing.run(statement, on: connection)
        }
        let sorted = packing.isInOrder ? found : found.sortedByKey()
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
