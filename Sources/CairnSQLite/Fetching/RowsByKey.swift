import CairnModel
import CairnStore

/// Reads rows by their keys, many with one statement.
struct RowsByKey {
    let schema: FetchSchema
    let connection: SQLiteConnection

    /// Returns the rows, each once, by root entity.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        if ids.count == 1, let id = ids.first { return try row(for: id) }
        var result = RowBatch()
        let own = ids.filter { $0.store == schema.store }
        for (root, ids) in Dictionary(grouping: own, by: \.rootEntity)
            .sorted(by: { $0.key < $1.key })
        {
            guard let codec = schema.codec(ofRoot: root) else { continue }
            // In the order of the table's own tree, so that each page is read once.
            let keys = Set(ids.map(\.key)).sorted()
            result.append(try read(keys, codec))
        }
        return result
    }

    /// What a single fault asks for: a statement that is kept, and no packing function.
    private func row(for id: ObjectID) throws(StoreError) -> RowBatch {
        guard id.store == schema.store else { return RowBatch() }
        return try connection.rowReader(ofRoot: id.rootEntity) { connection throws(StoreError) in
            guard let codec = schema.codec(ofRoot: id.rootEntity) else { return nil }
            return try RowReader(codec, store: schema.store, on: connection)
        }?.row(withKey: id.key) ?? RowBatch()
    }

    private func read(_ keys: [Int64], _ codec: RowCodec) throws(StoreError) -> RowBatch {
        let alias = PredicateTranslator.base
        let columns = codec.selection(from: alias)
        let rows: SQLText = """
            FROM cairn_keys(?) AS k CROSS JOIN \(codec.table) AS \(alias) ON \(alias).Z_PK = k.key
            """
        return try KeysTable.withKeys(keys) { (keys) throws(StoreError) in
            // A table with more columns than a function takes is read row by row.
            guard RowPacking.suits(codec) else {
                let sql: SQLText = "SELECT \(columns) \(rows)"
                let statement = try connection.statement(sql.text)
                try KeysTable.bind(keys, to: statement, at: 1, on: connection)
                return try step(statement, codec)
            }
            let sql: SQLText = "SELECT cairn_pack(?, \(columns)) \(rows)"
            let statement = try connection.statement(sql.text)
            try KeysTable.bind(keys, to: statement, at: 2, on: connection)
            return try RowPacking(codec: codec, store: schema.store).run(statement, on: connection)
        }
    }

    private func step(
        _ statement: SQLiteStatement, _ codec: RowCodec
    ) throws(StoreError) -> RowBatch {
        defer { statement.reset() }
        var writer = RowWriter(store: schema.store)
        while try statement.step() { try codec.read(statement, into: &writer) }
        return writer.takeBatch()
    }
}
