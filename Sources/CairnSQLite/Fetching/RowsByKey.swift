import CairnModel
import CairnStore

/// Reads rows by their keys, many with one statement.
struct RowsByKey {
    let schema: FetchSchema
    let connection: SQLiteConnection

    /// Returns the rows in the order of root entities and keys, each once.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        var writer = RowWriter(store: schema.store)
        let own = ids.filter { $0.store == schema.store }
        for (root, ids) in Dictionary(grouping: own, by: \.rootEntity)
            .sorted(by: { $0.key < $1.key })
        {
            guard let entity = schema.map.model.entity(numbered: root),
                let codec = schema.codec(of: entity.rootEntity.hierarchyNumbers)
            else { continue }
            // In the order of the table's own tree, so that each page is read once.
            let keys = Set(ids.map(\.key)).sorted()
            for chunk in KeyChunk.chunks(of: keys) {
                try read(chunk, codec, into: &writer)
            }
        }
        return writer.takeBatch()
    }

    private func read(
        _ chunk: KeyChunk, _ codec: RowCodec, into writer: inout RowWriter
    ) throws(StoreError) {
        let alias = PredicateTranslator.base
        let statement = try connection.query(
            """
            SELECT \(codec.selection(from: alias)) FROM \(codec.table) AS \(alias) \
            WHERE \(alias).Z_PK IN \(chunk.list)
            """)
        defer { statement.reset() }
        while try statement.step() { try codec.read(statement, into: &writer) }
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
