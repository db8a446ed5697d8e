import CairnModel
import CairnStore

/// Reads all rows of a table in the order of keys, each batch packed by one step of a statement.
///
/// That an aggregate function sees the rows of an ordered subquery in their order holds for every
/// SQLite tried, and is nowhere promised; so keys are watched, and where they do not grow the
/// batch is read again row by row.
final class PackingCursor: RowCursor {
    let completed = CompletedStages()
    private let snapshot: SQLiteSnapshot
    private let codec: RowCodec
    private let packing: RowPacking
    private var lastKey: Int64?
    /// How many rows the plan's limit leaves; nil: all there are.
    private var left: Int?
    private var isAtEnd = false

    /// - Parameter limit: the most rows in all.
    init(_ codec: RowCodec, limit: Int?, on snapshot: SQLiteSnapshot) {
        self.codec = codec
        self.snapshot = snapshot
        left = limit
        packing = RowPacking(codec: codec, store: snapshot.schema.store)
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        let wanted = min(max(1, count), left ?? .max)
        guard !isAtEnd, wanted > 0 else { return nil }
        // Until the batch is there: after an error nothing follows.
        isAtEnd = true
        let batch = try snapshot.withConnection { connection throws(StoreError) in
            try read(wanted, connection)
        }
        isAtEnd = batch.count < wanted
        left = left.map { $0 - batch.count }
        guard batch.count > 0 else { return nil }
        lastKey = batch.id(at: batch.count - 1).key
        return batch
    }

    private func read(
        _ count: Int, _ connection: SQLiteConnection
    ) throws(StoreError) -> RowBatch {
        guard packing.isInOrder else { return try step(count, connection) }
        let statement = try connection.statement(packed.text)
        try statement.bind(parameters(count), after: 1)
        let batch = try packing.run(statement, on: connection)
        return packing.isInOrder ? batch : try step(count, connection)
    }

    /// The batch without the aggregate.
    private func step(
        _ count: Int, _ connection: SQLiteConnection
    ) throws(StoreError) -> RowBatch {
        let statement = try connection.statement(ordered.text)
        try statement.bind(parameters(count))
        defer { statement.reset() }
        var writer = RowWriter(store: snapshot.schema.store)
        while try statement.step() { try codec.read(statement, into: &writer) }
        return writer.takeBatch()
    }

    // MARK: SQL; parameters are the last key, where there is one, and the count

    private func parameters(_ count: Int) -> [SQLText.Parameter] {
        let count = SQLText.Parameter.integer(Int64(count))
        return lastKey.map { [.integer($0), count] } ?? [count]
    }

    private var ordered: SQLText {
        let base = PredicateTranslator.base
        let rest: SQLText = lastKey == nil ? "" : " WHERE \(base).Z_PK > ?"
        return """
            SELECT \(codec.selection(from: base)) FROM \(codec.table) AS \(base)\(rest) \
            ORDER BY \(base).Z_PK LIMIT ?
            """
    }

    private var packed: SQLText {
        let columns = SQLText.joined(codec.columns.map { "\($0)" }, by: ", ")
        return "SELECT cairn_pack(?, \(columns)) FROM (\(ordered))"
    }
}
