import CairnModel
import CairnRows
import CairnStore

/// Reads rows by their IDs, with one statement for each table.
struct PostgresRowsByKey {
    private let schema: StoreSchema
    private let keys: [EntityNumber: Set<Int64>]

    init(_ ids: some Sequence<ObjectID>, _ schema: StoreSchema) {
        self.schema = schema
        var keys: [EntityNumber: Set<Int64>] = [:]
        for id in ids where id.store == schema.store && schema.tables[id.rootEntity] != nil {
            keys[id.rootEntity, default: []].insert(id.key)
        }
        self.keys = keys
    }

    /// Reads the rows, in one round trip.
    ///
    /// - Parameter run: runs statements.
    /// - Throws: `.corrupt`; the errors of `run`.
    func read(
        _ run: ([PostgresStatement]) throws(StoreError) -> [PostgresResult]
    ) throws(StoreError) -> RowBatch {
        let tables = keys.keys.sorted().compactMap { schema.tables[$0] }
        let statements = tables.map { table in
            let keys = PostgresParameter.keys((keys[table.root.number] ?? []).sorted())
            return PostgresStatement(
                "SELECT \(table.wholeRow) FROM \(table.name) WHERE \(keys.condition)",
                [keys.parameter])
        }
        // Also without a question, a closed store is noticed.
        let results = try run(statements)
        var reader = PostgresRowReader(schema, rowCount: results.reduce(0) { $0 + $1.rowCount })
        for (table, result) in zip(tables, results) { try reader.append(result, of: table) }
        return reader.takeBatch()
    }
}
