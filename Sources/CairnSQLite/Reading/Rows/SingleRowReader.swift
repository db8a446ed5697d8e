import CairnModel
import CairnStore

/// Reads single rows of one table by their keys.
///
/// Kept with its connection. Its statement joins the table with a list of one key, and stays where
/// it is after a row was read: the next key is put into the list, and the next step goes on with it.
/// With a statement that is reset and begun again, a fault takes 2.8 times as much processor time
/// (benchmark row G). Rows that are read one after the other share a slab, where each alone would
/// keep 128 KiB.
final class SingleRowReader {
    private let rows: RowStatement
    /// The list of keys and its one key.
    private let keys: UnsafeMutablePointer<KeysTable.Keys>
    private let key: UnsafeMutablePointer<Int64>

    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    init(
        _ codec: RowCodec, store: StoreNumber, on connection: SQLiteConnection
    ) throws(StoreError) {
        let form = codec.rowForm()
        let statement = try SQLiteStatement(codec.rowsByKey(form).text, on: connection)
        rows = RowStatement(statement, form, codec: codec, store: store)
        key = .allocate(capacity: 1)
        key.initialize(to: 0)
        keys = .allocate(capacity: 1)
        keys.initialize(to: KeysTable.Keys(list: UnsafeBufferPointer(start: key, count: 1)))
        try KeysTable.bind(keys, to: statement, at: 1, on: connection)
    }

    deinit {
        // SQLite looks at the keys of a running statement when it is stepped only.
        keys.deallocate()
        key.deallocate()
    }

    /// Returns the row with that key. Returns `nil` if there is none.
    ///
    /// The statement keeps the connection's read transaction open: ``rest()`` ends that.
    ///
    /// - Throws: `.corrupt`, `.busy`, `.engineFailure`.
    func row(
        withKey key: Int64, on connection: SQLiteConnection
    ) throws(StoreError) -> Row? {
        self.key.pointee = key
        keys.pointee.index = -1
        return try rows.nextRow(on: connection)
    }

    /// Lets the statement go back to its beginning.
    func rest() { rows.rest() }
}

extension RowCodec {
    /// The rows of a list of keys, which is the parameter.
    ///
    /// - Parameter form: what is selected of each row.
    func rowsByKey(_ form: RowStatement.Form) -> SQLText {
        let base = PredicateTranslator.base
        return """
            SELECT \(selection(form)) FROM cairn_keys(?) AS k \
            CROSS JOIN \(table) AS \(base) ON \(base).Z_PK = k.key
            """
    }
}
