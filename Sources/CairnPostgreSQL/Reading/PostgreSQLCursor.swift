import CairnModel
import CairnRows
import CairnStore

/// A cursor of the server. The first batch comes with the statement that declares it.
final class PostgreSQLCursor: RowCursor {
    let completed: CompletedStages
    private let plan: FetchPlan
    private let query: PostgresFetch
    private let snapshot: PostgreSQLSnapshot
    private var name: String?
    private var isAtEnd = false

    init(_ plan: FetchPlan, _ query: PostgresFetch, _ snapshot: PostgreSQLSnapshot) {
        self.plan = plan
        self.query = query
        self.snapshot = snapshot
        completed = query.completed
    }

    deinit {
        if let name { snapshot.closeCursor(name) }
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        try plan.checkCancellation()
        guard let table = query.table, let matches = query.matches, !isAtEnd else {
            // Also at the end, a closed store is noticed.
            _ = try snapshot.run([])
            return nil
        }
        var statements: [PostgresStatement] = []
        let name = name ?? snapshot.takeCursorName()
        if self.name == nil {
            var declaration = matches
            declaration.keepsPlan = false
            declaration.text = "DECLARE \(name) NO SCROLL CURSOR FOR \(matches.text)"
            statements.append(declaration)
        }
        statements.append(PostgresStatement("FETCH FORWARD \(max(1, count)) FROM \(name)"))
        let results = try snapshot.run(statements, isCancellable: plan.isCancellable)
        self.name = name
        guard let result = results.last else { return nil }
        isAtEnd = result.rowCount < max(1, count)
        if isAtEnd {
            snapshot.closeCursor(name)
            self.name = nil
        }
        guard result.rowCount > 0 else { return nil }
        guard plan.output == .rows else {
            return RowBatch(ids: try PostgresRowReader.ids(result, of: table, snapshot.schema))
        }
        var reader = PostgresRowReader(snapshot.schema, rowCount: result.rowCount)
        try reader.append(result, of: table)
        return reader.takeBatch()
    }
}
