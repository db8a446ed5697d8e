import Baselines
import Foundation

/// LMDB's C library on a store: the baseline.
final class LMDBBaseline {
    private var store: OpaquePointer?

    /// - Throws: ``BaselineFailure``.
    init(_ url: URL, writable: Bool = false) throws {
        var opened: OpaquePointer?
        let code = bl_lmdb_open(url.path, writable ? 1 : 0, &opened)
        store = opened
        try check(code, "open")
    }

    deinit { close() }

    /// Ends the environment, so that another one may open the file.
    func close() {
        bl_lmdb_close(store)
        store = nil
    }

    /// Copies the rows of all items.
    func scan() throws -> PackedRows {
        let rows = PackedRows()
        var count: Int64 = 0
        try check(bl_lmdb_scan(store, &rows.bytes, &rows.length, &count), "scan")
        rows.count = Int(count)
        return rows
    }

    /// Copies the rows of items one by one.
    func items(byKeys keys: [Int64]) throws -> PackedRows {
        let rows = PackedRows()
        let code = bl_lmdb_by_key(store, keys, Int64(keys.count), &rows.bytes, &rows.length)
        try check(code, "get")
        rows.count = keys.count
        return rows
    }

    /// Inserts items in one transaction.
    func insert(_ items: UnsafeBufferPointer<bl_item>) throws {
        try check(bl_lmdb_insert(store, items.baseAddress, Int64(items.count)), "insert")
    }

    private func check(_ code: Int32, _ operation: String) throws {
        guard code != 0 else { return }
        throw BaselineFailure(
            library: "LMDB", operation: operation, code: code,
            message: String(cString: bl_lmdb_error(code)))
    }
}

/// Packed rows of items, one behind the other, in memory of its own.
final class PackedRows {
    fileprivate(set) var bytes: UnsafeMutablePointer<UInt8>?
    fileprivate(set) var length = 0
    fileprivate(set) var count = 0

    fileprivate init() {}

    deinit { free(bytes) }

    /// Of all values.
    var checksum: UInt64 { bl_rows_digest(bytes, length) }
}
