import CairnCLMDB
import CairnStore
import Foundation

/// An LMDB transaction. Owns the handle and ends the transaction.
///
/// Bytes that it returns point into the map. They are valid until the transaction's next write, and
/// must not leave the body of ``LMDBEnvironment/use(_:)`` in which they were read. A transaction is
/// used by one thread at a time. A write transaction must begin and end on the same thread. A read
/// transaction must only be used inside such a body, because it ends if its environment is closed.
final class LMDBTransaction {
    let environment: LMDBEnvironment
    /// LMDB's number of the state that the transaction reads, or that its commit creates.
    let number: UInt64
    private let isReading: Bool
    /// The handle, or `nil` after the transaction has ended.
    private var handle: OpaquePointer?

    /// - Precondition: The thread runs a body of the environment.
    init(_ handle: OpaquePointer, of environment: LMDBEnvironment, isReading: Bool) {
        self.handle = handle
        number = UInt64(truncatingIfNeeded: mdb_txn_id(handle))
        self.environment = environment
        self.isReading = isReading
    }

    deinit { abort() }

    var location: StoreLocation { environment.location }

    /// Returns the value of a key, or `nil` if the key does not exist.
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

    /// Returns the value of a key in an integer table, or `nil` if the key does not exist.
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

    /// Sets the value of a key.
    ///
    /// - Throws: `.engineFailure`, including if the map is full (`isMapFull`).
    func put(
        _ value: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in table: LMDBTable
    ) throws(StoreError) {
        var key = MDB_val(key)
        var value = MDB_val(value)
        try check(mdb_put(handle, table.handle, &key, &value, 0), "put")
    }

    /// Removes a key with its value, or, in a table of sorted duplicates, only the given value.
    /// Returns `false` if it does not exist.
    ///
    /// - Throws: `.engineFailure`, including if the map is full (`isMapFull`).
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

    /// Returns a cursor on a table. The cursor must be destroyed before the transaction ends.
    func cursor(on table: LMDBTable) throws(StoreError) -> LMDBCursor {
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(handle, table.handle, &cursor), "open a cursor")
        guard let cursor else { throw failure(MDB_BAD_TXN, "open a cursor") }
        return LMDBCursor(cursor, on: table, in: self)
    }

    /// Returns the number of values in a table, as recorded in the file.
    ///
    /// - Throws: `.corrupt` if no file can have that many; `.engineFailure`.
    func count(of table: LMDBTable) throws(StoreError) -> Int {
        var status = MDB_stat()
        try check(mdb_stat(handle, table.handle, &status), "count")
        guard (0...Self.mostEntries).contains(status.ms_entries) else {
            throw corrupt(table, "the number of entries that the table records is impossible")
        }
        return status.ms_entries
    }

    /// More than the number of bytes in any file (``FileMeta``).
    private static let mostEntries = 1 << 47

    /// Returns the error for a damaged table.
    func corrupt(_ table: LMDBTable, _ detail: String) -> StoreError {
        .corrupt(location, location: "the table \(table.name)", detail: detail)
    }

    /// Returns the table with the given name. If it does not exist, creates it if `makesMissing` is
    /// true, and otherwise returns `nil`.
    ///
    /// Only one thread at a time may call this in an environment.
    func table(
        _ name: String?, _ form: LMDBTableForm, makesMissing: Bool = false
    ) throws(StoreError) -> LMDBTable? {
        var table: MDB_dbi = 0
        let flags = form.flags | (makesMissing ? UInt32(MDB_CREATE) : 0)
        let code = mdb_dbi_open(handle, name, flags, &table)
        if code == MDB_NOTFOUND { return nil }
        try check(code, "open the table \(name ?? "of tables")")
        let opened = LMDBTable(handle: table, name: name ?? "of tables", form: form)
        // A table must be read in the form that it was written in.
        var stored: UInt32 = 0
        try check(mdb_dbi_flags(handle, table, &stored), "open the table \(opened.name)")
        guard stored == form.flags else { throw corrupt(opened, "the table has another form") }
        return opened
    }

    /// Makes the changes durable and visible. The transaction ends, even if this method throws.
    ///
    /// - Throws: `.engineFailure`, including if the map is full (`isMapFull`).
    func commit() throws(StoreError) {
        guard let handle else { throw failure(MDB_BAD_TXN, "commit") }
        self.handle = nil
        if isReading { return try check(environment.commitReading(handle), "commit") }
        let code = mdb_txn_commit(handle)
        try check(code == EIO ? environment.reasonForShortWrite() : code, "commit")
    }

    /// Discards the changes. Has no effect after the transaction has ended.
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
    /// LMDB only reads from keys and values, although its declaration does not say so.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(
            mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}

extension [UInt8] {
    /// A version of `withUnsafeBytes` with typed errors, which the standard library's does not
    /// support.
    @inline(__always) func withRawBytes<Success, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Success
    ) throws(Failure) -> Success {
        try withUnsafeBytes { bytes in
            Result { () throws(Failure) in try body(bytes) }
        }.get()
    }
}
