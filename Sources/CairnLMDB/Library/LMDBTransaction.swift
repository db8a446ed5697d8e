import CairnCLMDB
import CairnStore
import Foundation

/// A transaction of LMDB's: owns the handle and ends it.
///
/// Bytes that it hands out point into the map. They are good until the next write of the
/// transaction, and must not leave the body of ``LMDBEnvironment/use(_:)`` in which they were read.
/// Used by one thread at a time; one that writes is begun and ended on one thread. One that reads
/// is used inside of such a body only: its environment may close, which ends it.
final class LMDBTransaction {
    let environment: LMDBEnvironment
    /// LMDB's number of the state that is read, or that a commit makes.
    let number: UInt64
    private let isReading: Bool
    /// `nil` once ended.
    private var handle: OpaquePointer?

    /// - Precondition: the thread is in a body of the environment's.
    init(_ handle: OpaquePointer, of environment: LMDBEnvironment, isReading: Bool) {
        self.handle = handle
        number = UInt64(truncatingIfNeeded: mdb_txn_id(handle))
        self.environment = environment
        self.isReading = isReading
    }

    deinit { abort() }

    var location: StoreLocation { environment.location }

    /// Returns the bytes under a key. Returns `nil` if there are none.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`.
    func get(
        _ key: UnsafeRawBufferPointer, in table: LMDBTable
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        var key = MDB_val(key)
        var value = MDB_val()
        let code = mdb_get(handle, table.handle, &key, &value)
        if code == MDB_NOTFOUND { return nil }
        try check(code, "get")
        return value.bytes
    }

    /// Returns the bytes under a key of an integer table. Returns `nil` if there are none.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`.
    func get(
        _ key: Int64, in table: LMDBTable
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        var key = key
        var value = MDB_val()
        let code = withUnsafeMutableBytes(of: &key) { bytes in
            var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            return mdb_get(handle, table.handle, &key, &value)
        }
        if code == MDB_NOTFOUND { return nil }
        try check(code, "get")
        return value.bytes
    }

    /// Sets the bytes under a key.
    ///
    /// - Throws: `.engineFailure`, also where the map is full (`isMapFull`).
    func put(
        _ value: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in table: LMDBTable
    ) throws(StoreError) {
        var key = MDB_val(key)
        var value = MDB_val(value)
        try check(mdb_put(handle, table.handle, &key, &value, 0), "put")
    }

    /// Removes what is under a key, or in a table of sorted duplicates the one value. Returns
    /// `false` if it is not there.
    ///
    /// - Throws: `.engineFailure`, also where the map is full (`isMapFull`).
    @discardableResult func delete(
        _ key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer? = nil, in table: LMDBTable
    ) throws(StoreError) -> Bool {
        var key = MDB_val(key)
        var code: Int32
        if let value {
            var value = MDB_val(value)
            code = mdb_del(handle, table.handle, &key, &value)
        } else {
            code = mdb_del(handle, table.handle, &key, nil)
        }
        if code == MDB_NOTFOUND { return false }
        try check(code, "delete")
        return true
    }

    /// Returns a cursor on a table; it must go before the transaction ends.
    ///
    /// - Throws: `.engineFailure`.
    func cursor(on table: LMDBTable) throws(StoreError) -> LMDBCursor {
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(handle, table.handle, &cursor), "open a cursor")
        guard let cursor else { throw failure(MDB_BAD_TXN, "open a cursor") }
        return LMDBCursor(cursor, on: table, in: self)
    }

    /// How many values a table has, by its own account.
    ///
    /// - Throws: `.corrupt` for more than any file has room for; `.engineFailure`.
    func count(of table: LMDBTable) throws(StoreError) -> Int {
        var status = MDB_stat()
        try check(mdb_stat(handle, table.handle, &status), "count")
        guard (0...Self.mostEntries).contains(status.ms_entries) else {
            throw corrupt(table, "it cannot have as many entries as it says")
        }
        return status.ms_entries
    }

    /// A file has fewer bytes than that (``FileMeta``).
    private static let mostEntries = 1 << 47

    /// Damage to a table.
    func corrupt(_ table: LMDBTable, _ detail: String) -> StoreError {
        .corrupt(location, location: "the table \(table.name)", detail: detail)
    }

    /// Returns a table by its name. Returns `nil` if there is none and it is not to be made.
    ///
    /// One thread at a time may do this in an environment.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`.
    func table(
        _ name: String?, _ form: LMDBTableForm, makesMissing: Bool = false
    ) throws(StoreError) -> LMDBTable? {
        var table: MDB_dbi = 0
        let flags = form.flags | (makesMissing ? UInt32(MDB_CREATE) : 0)
        let code = mdb_dbi_open(handle, name, flags, &table)
        if code == MDB_NOTFOUND { return nil }
        try check(code, "open the table \(name ?? "of tables")")
        let opened = LMDBTable(handle: table, name: name ?? "of tables", form: form)
        // Read in another form than it was written in, a table is garbage.
        var stored: UInt32 = 0
        try check(mdb_dbi_flags(handle, table, &stored), "open the table \(opened.name)")
        guard stored == form.flags else { throw corrupt(opened, "it is of another form") }
        return opened
    }

    /// Makes the changes durable and visible. The transaction is over, whatever happens.
    ///
    /// - Throws: `.engineFailure`, also where the map is full (`isMapFull`).
    func commit() throws(StoreError) {
        guard let handle else { throw failure(MDB_BAD_TXN, "commit") }
        self.handle = nil
        if isReading { return try check(environment.commitReading(handle), "commit") }
        let code = mdb_txn_commit(handle)
        try check(code == EIO ? environment.reasonForShortWrite() : code, "commit")
    }

    /// Forgets the changes. After the end, does nothing.
    func abort() {
        guard let handle else { return }
        self.handle = nil
        if isReading { environment.endReading(handle) } else { mdb_txn_abort(handle) }
    }

    func check(_ code: Int32, _ operation: @autoclosure () -> String) throws(StoreError) {
        if code != MDB_SUCCESS { throw failure(code, operation()) }
    }

    private func failure(_ code: Int32, _ operation: String) -> StoreError {
        LMDBFailure(code: code, operation: operation).storeError(at: location)
    }
}

extension MDB_val {
    /// LMDB reads keys and values only; its declaration does not say so.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(
            mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}
