import CairnModel
import CairnRows
import CairnStore

/// Reads single rows of one table by their keys.
///
/// A reader is kept with its connection. Its statement joins the table with a list of one key, and
/// keeps running after a row was read: the next key is written into the list, and the next step
/// continues with that key. If the statement were reset and started again for each row, a fault
/// would take 2.8 times as much processor time (benchmark row G). Rows that are read one after
/// another share a slab. On its own, each would occupy 128 KiB.
final class SingleRowReader {
    private let rows: RowStatement
    /// The list of keys, and its only key.
    private let keys: UnsafeMutablePointer<KeysTable.Keys>
    private let key: UnsafeMutablePointer<Int64>

    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
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
        // SQLite only looks at the keys of a running statement when the statement is stepped.
        keys.deallocate()
        key.deallocate()
    }

    /// Returns the row with the given key, or `nil` if there is no such row.
    ///
    /// Afterwards, the statement keeps the connection's read transaction open until ``rest()`` is
    /// called.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func row(
        withKey key: Int64, on connection: SQLiteConnection
    ) throws(StoreError) -> Row? {
        self.key.pointee = key
        keys.pointee.index = -1
        return try rows.nextRow(on: connection)
    }

    /// Ends the statement's current run.
    func rest() { rows.rest() }
}

extension RowCodec {
    /// Returns a query for the rows with a list of keys, which is its only parameter.
    ///
    /// - Parameter form: The form of the result list.
    func rowsByKey(_ form: RowStatement.Form) -> SQLText {
        let base = PredicateTranslator.base
        return """
            SELECT \(selection(form)) FROM cairn_keys(?) AS k \
            CROSS JOIN \(table) AS \(base) ON \(base).Z_PK = k.key
            """
    }
}
