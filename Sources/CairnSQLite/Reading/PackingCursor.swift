import CairnModel
import CairnStore

/// Reads all rows of a table in the order of keys, each batch packed by one step of a statement.
///
/// A batch is a range of keys with no more of them than rows are wanted: unlike a limit, that needs
/// no subquery, whose rows SQLite would copy. That an aggregate function sees a range in the order
/// of keys is nowhere promised; so they are watched. Where they do not grow, or where keys are
/// sparse, rows are read one by one from there on.
final class PackingCursor: RowCursor {
    let completed = CompletedStages()
    private let snapshot: SQLiteSnapshot
    private let codec: RowCodec
    private let plan: FetchPlan
    private var output: FetchPlan.Output { plan.output }
    private let packing: RowStatement
    /// The keys of the rows that were not read yet.
    private var unread: ClosedRange<Int64>
    /// How many rows the plan's limit leaves. `nil` if it has no limit.
    private var left: Int?
    private var isAtEnd = false
    private var readsRanges = true

    /// - Parameters:
    ///   - limit: the most rows in all.
    ///   - keys: of the rows that are read.
    init(
        _ codec: RowCodec, _ plan: FetchPlan, limit: Int? = nil,
        keys: ClosedRange<Int64> = .min ... .max, on snapshot: SQLiteSnapshot
    ) {
        self.codec = codec
        self.plan = plan
        self.snapshot = snapshot
        left = limit
        unread = keys
        packing = RowStatement(codec: codec, store: snapshot.schema.store, output: plan.output)
    }

    func next(atMost count: Int) throws(StoreError) -> RowBatch? {
        let wanted = min(max(1, count), left ?? .max)
        guard !isAtEnd, wanted > 0 else { return nil }
        // Until the batch is there: after an error nothing follows.
        isAtEnd = true
        let batch = try snapshot.withConnection(fetching: plan) { connection throws(StoreError) in
            try read(wanted, connection)
        }
        guard !batch.isEmpty else { return nil }
        left = left.map { $0 - batch.count }
        let last = batch.id(at: batch.count - 1).key
        guard last < unread.upperBound else { return batch }
        unread = (last + 1)...unread.upperBound
        isAtEnd = false
        return batch
    }

    private func read(
        _ count: Int, _ connection: SQLiteConnection
    ) throws(StoreError) -> RowBatch {
        guard readsRanges else { return try requireGrowth(step(count, connection)) }
        guard let first = try nextKey(connection) else { return RowBatch() }
        let (end, overflows) = first.addingReportingOverflow(Int64(count - 1))
        let last = overflows ? unread.upperBound : min(end, unread.upperBound)
        let statement = try connection.statement(packed.text)
        try statement.bind([.integer(first), .integer(last)])
        let batch = try packing.run(statement, on: connection)
        readsRanges = packing.isInOrder && (batch.count > count / 8 || last == unread.upperBound)
        return packing.isInOrder ? batch : try requireGrowth(step(count, connection))
    }

    /// Returns a batch that was not packed, if each key is greater than the one before it, in this
    /// batch and the one before. (Packing watches the keys itself.)
    ///
    /// The next batch begins after the last key. In a table whose pages are damaged, SQLite finds
    /// keys that are not greater, and the cursor would not come to an end.
    ///
    /// - Throws: `.corrupt`.
    private func requireGrowth(_ batch: RowBatch) throws(StoreError) -> RowBatch {
        var last: Int64?
        for index in 0..<batch.count {
            let key = batch.id(at: index).key
            guard key >= unread.lowerBound, last.map({ key > $0 }) ?? true else {
                throw .corruptRow(
                    at: codec.location, table: codec.table, column: nil, key: key,
                    "the table's pages are not in the order of keys")
            }
            last = key
        }
        return batch
    }

    /// The first key that was not read; nil at the end.
    private func nextKey(_ connection: SQLiteConnection) throws(StoreError) -> Int64? {
        let statement = try connection.statement("SELECT min(Z_PK)\(rest.text)")
        defer { statement.reset() }
        try statement.bind(unreadKeys)
        return try statement.step() && !statement.isNull(at: 0) ? statement.int64(at: 0) : nil
    }

    /// The batch without the aggregate.
    private func step(
        _ count: Int, _ connection: SQLiteConnection
    ) throws(StoreError) -> RowBatch {
        let statement = try connection.statement(ordered.text)
        try statement.bind(unreadKeys + [.integer(Int64(count))])
        defer { statement.reset() }
        if output == .ids {
            var ids: [ObjectID] = []
            while try statement.step() { ids.append(try codec.readID(StatementColumns(statement))) }
            return RowBatch(ids: ids)
        }
        var writer = RowWriter(store: snapshot.schema.store)
        while try statement.step() { try codec.read(statement, into: &writer) }
        return writer.takeBatch()
    }

    // MARK: SQL

    /// The parameters of ``rest``.
    private var unreadKeys: [SQLText.Parameter] {
        [.integer(unread.lowerBound), .integer(unread.upperBound)]
    }

    /// What was not read yet.
    private var rest: SQLText {
        " FROM \(codec.table) AS \(PredicateTranslator.base) WHERE Z_PK BETWEEN ? AND ?"
    }

    private var ordered: SQLText { "SELECT \(columns)\(rest) ORDER BY Z_PK LIMIT ?" }

    private var packed: SQLText { "SELECT cairn_pack(\(columns))\(rest)" }

    private var columns: SQLText { codec.selection(output) }
}
