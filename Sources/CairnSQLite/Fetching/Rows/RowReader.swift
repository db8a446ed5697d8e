import CairnModel
import CairnStore

/// Reads single rows of one table by their keys.
///
/// Kept with its connection: the statement is prepared once, and rows that are read one after the
/// other share a slab, where each alone would keep 128 KiB.
final class RowReader {
    private let codec: RowCodec
    private let statement: SQLiteStatement
    // Exclusivity is unchecked: one user of the connection at a time reads with it.
    @exclusivity(unchecked) private var writer: RowWriter

    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    init(
        _ codec: RowCodec, store: StoreNumber, on connection: SQLiteConnection
    ) throws(StoreError) {
        self.codec = codec
        let alias = PredicateTranslator.base
        let sql: SQLText = """
            SELECT \(codec.selection(from: alias)) FROM \(codec.table) AS \(alias) \
            WHERE \(alias).Z_PK = ?
            """
        statement = try SQLiteStatement(sql.text, on: connection)
        writer = RowWriter(store: store)
    }

    /// Returns the row with that key; an empty batch where there is none.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    func row(withKey key: Int64) throws(StoreError) -> RowBatch {
        defer { statement.reset() }
        try statement.bind(key, at: 1)
        if try statement.step() { try codec.read(statement, into: &writer) }
        return writer.takeBatch()
    }
}
