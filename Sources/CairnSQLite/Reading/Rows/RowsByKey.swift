import CairnModel
import CairnRows
import CairnSQL
import CairnStore

/// Reads rows by their keys. Reads many rows with one statement.
struct RowsByKey {
    let schema: FetchSchema
    let connection: SQLiteConnection

    /// Returns the rows, each once, grouped by root entity.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func rows(for ids: [ObjectID]) throws(StoreError) -> RowBatch {
        if ids.count == 1, let id = ids.first { return try batch(of: id) }
        var result = RowBatch()
        for (root, keys) in keysByRoot(ids) {
            guard let codec = schema.codec(ofRoot: root) else { continue }
            result.append(try read(keys, codec))
        }
        return result
    }

    /// Returns one row. Single faults call this method. It uses a cached statement that continues
    /// from row to row, and keeps running until the connection's read transaction ends.
    ///
    /// - Throws: `.corrupt`, `.busy` or `.engineFailure`.
    func row(for id: ObjectID) throws(StoreError) -> Row? {
        try reader(for: id)?.row(withKey: id.key, on: connection)
    }

    /// Returns one row as a batch, and ends the statement. Otherwise the transaction of a save
    /// could not end.
    private func batch(of id: ObjectID) throws(StoreError) -> RowBatch {
        guard let reader = try reader(for: id) else { return RowBatch() }
        defer { reader.rest() }
        guard let row = try reader.row(withKey: id.key, on: connection) else { return RowBatch() }
        return RowBatch(CollectionOfOne(row))
    }

    private func reader(for id: ObjectID) throws(StoreError) -> SingleRowReader? {
        guard id.store == schema.store else { return nil }
        return try connection.rowReader(ofRoot: id.rootEntity) { connection throws(StoreError) in
            guard let codec = schema.codec(ofRoot: id.rootEntity) else { return nil }
            return try SingleRowReader(codec, store: schema.store, on: connection)
        }
    }

    /// Returns the distinct keys of this store's IDs by root entity. The keys are sorted like the
    /// tables' own trees, so that each page is read only once.
    private func keysByRoot(_ ids: [ObjectID]) -> [(root: EntityNumber, keys: [Int64])] {
        var groups: [(root: EntityNumber, keys: [Int64])] = []
        for id in ids where id.store == schema.store {
            // Usually, all IDs have the same root.
            if let last = groups.indices.last, groups[last].root == id.rootEntity {
                groups[last].keys.append(id.key)
            } else if let index = groups.firstIndex(where: { $0.root == id.rootEntity }) {
                groups[index].keys.append(id.key)
                groups.swapAt(index, groups.count - 1)
            } else {
                groups.append((id.rootEntity, [id.key]))
            }
        }
        groups.sort { $0.root < $1.root }
        for index in groups.indices { groups[index].keys.sortAndRemoveDuplicates() }
        return groups
    }

    private func read(_ keys: [Int64], _ codec: RowCodec) throws(StoreError) -> RowBatch {
        let form = codec.rowForm()
        let sql = codec.rowsByKey(form)
        return try KeysTable.withKeys(keys) { (keys) throws(StoreError) in
            let statement = try connection.statement(sql.text)
            try KeysTable.bind(keys, to: statement, at: 1, on: connection)
            let rows = RowStatement(statement, form, codec: codec, store: schema.store)
            defer { rows.reset() }
            try rows.read(atMost: .max, on: connection)
            return rows.takeBatch()
        }
    }
}

extension [Int64] {
    /// Sorts the array and removes duplicates.
    fileprivate mutating func sortAndRemoveDuplicates() {
        sort()
        var kept = 0
        for index in indices where index == 0 || self[index] != self[kept - 1] {
            self[kept] = self[index]
            kept += 1
        }
        removeLast(count - kept)
    }
}

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
        let base = QueryScope.base
        return """
            SELECT \(selection(form)) FROM cairn_keys(?) AS k \
            CROSS JOIN \(table) AS \(base) ON \(base).Z_PK = k.key
            """
    }
}
