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
            let packing = RowPacking(codec: codec, store: schema.store)
            for chunk in KeyChunk.chunks(of: keys) {
                result.append(
                    RowPacking.suits(codec)
                        ? try read(chunk, codec, packing) : try step(chunk, codec))
            }
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

    private func read(
        _ chunk: KeyChunk, _ codec: RowCodec, _ packing: RowPacking
    ) throws(StoreError) -> RowBatch {
        let alias = PredicateTranslator.base
        let list = chunk.list
        let query: SQLText = """
            SELECT cairn_pack(?, \(codec.selection(from: alias))) FROM \(codec.table) AS \(alias) \
            WHERE \(alias).Z_PK IN \(list)
            """
        let statement = try connection.statement(query.text)
        try statement.bind(list.parameters, after: 1)
        return try packing.run(statement, on: connection)
    }

    /// A table with more columns than a function takes is read row by row.
    private func step(
        _ chunk: KeyChunk, _ codec: RowCodec
    ) throws(StoreError) -> RowBatch {
        let alias = PredicateTranslator.base
        let statement = try connection.query(
            """
            SELECT \(codec.selection(from: alias)) FROM \(codec.table) AS \(alias) \
            WHERE \(alias).Z_PK IN \(chunk.list)
            """)
        defer { statement.reset() }
        var writer = RowWriter(store: schema.store)
        while try statement.step() { try codec.read(statement, into: &writer) }
        return writer.takeBatch()
    }
}

/// Keys that one statement asks for.
///
/// Comes in few sizes, the rest filled with the last key, so that the statements are found again.
struct KeyChunk {
    private static let sizes = [1, 4, 16, 64, 500]

    private let keys: ArraySlice<Int64>
    private let size: Int

    static func chunks(of keys: [Int64]) -> [KeyChunk] {
        let most = sizes[sizes.count - 1]
        return stride(from: 0, to: keys.count, by: most).map { start in
            let part = keys[start..<min(start + most, keys.count)]
            return KeyChunk(keys: part, size: sizes.first { $0 >= part.count } ?? most)
        }
    }

    /// The keys in parentheses.
    var list: SQLText {
        let last = keys.last ?? 0
        let padded = Array(keys) + Array(repeating: last, count: size - keys.count)
        return "(\(SQLText.joined(padded.map { "\(bind: .integer($0))" }, by: ",")))"
    }
}
