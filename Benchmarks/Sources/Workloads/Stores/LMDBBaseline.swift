import BenchmarkRows
import Baselines
import Foundation

/// A baseline that uses LMDB's C library on a store.
final class LMDBBaseline {
    private var store: OpaquePointer?

    /// Opens a store.
    ///
    /// - Throws: ``BaselineFailure``.
    init(_ url: URL, writable: Bool = false) throws {
        var opened: OpaquePointer?
        let code = bl_lmdb_open(url.path, writable ? 1 : 0, &opened)
        store = opened
        try check(code, "open")
    }

    deinit { close() }

    /// Closes the environment, so that another one can open the file.
    func close() {
        bl_lmdb_close(store)
        store = nil
    }

    /// Copies the rows of all items, or of the first `limit` items.
    func scan(first limit: Int = .max) throws -> PackedRows {
        try rows("scan") { bl_lmdb_scan(store, Int64(limit), &$0.bytes, &$0.length, &$1) }
    }

    /// Reads the keys of all items.
    func scanKeys() throws -> Reading {
        try read("scan keys") { bl_lmdb_scan_keys(store, &$0, &$1) }
    }

    /// Copies the rows of items, one at a time.
    func items(byKeys keys: [Int64]) throws -> PackedRows {
        try rows("get") { rows, count in
            count = Int64(keys.count)
            return bl_lmdb_by_key(store, keys, count, &rows.bytes, &rows.length)
        }
    }

    /// Copies the rows of the items in a category, which it finds with the index.
    func items(category: Int) throws -> PackedRows {
        try rows("read the index") {
            bl_lmdb_by_category(store, Int64(category), &$0.bytes, &$0.length, &$1)
        }
    }

    /// Copies the rows of the items in a folder, which it finds with the folder's links.
    func items(folder: Int) throws -> PackedRows {
        try rows("read the links") {
            bl_lmdb_by_folder(store, Int64(folder), &$0.bytes, &$0.length, &$1)
        }
    }

    /// Reads the keys of the items in a folder.
    func keys(folder: Int) throws -> Reading {
        try read("read the links") { bl_lmdb_keys_by_folder(store, Int64(folder), &$0, &$1) }
    }

    /// Reads the names of the folders that contain the items of a category.
    func folderNames(category: Int) throws -> Reading {
        try read("read the folders") { bl_lmdb_folder_names(store, Int64(category), &$0, &$1) }
    }

    /// Evaluates a query on all items.
    func ask(_ query: RowQuery) throws -> Reading {
        try query.answer { try check(bl_lmdb_query(store, &$0), "query") }
    }

    /// Returns the number of items.
    func count() throws -> Reading {
        try number("count") { bl_lmdb_count(store, &$0) }
    }

    /// Returns the number of items in a category, using the index.
    func count(category: Int) throws -> Reading {
        try number("count") { bl_lmdb_count_category(store, Int64(category), &$0) }
    }

    /// Inserts items in one transaction.
    func insert(_ items: UnsafeBufferPointer<bl_item>) throws {
        try check(bl_lmdb_insert(store, items.baseAddress, Int64(items.count)), "insert")
    }

    /// Sets the price and title of items in one transaction.
    func update(
        _ keys: [Int64], prices: [Double], titles: [UnsafePointer<CChar>?], version: Int64
    ) throws {
        let code = bl_lmdb_update(store, keys, prices, titles, Int64(keys.count), version)
        try check(code, "update")
    }

    /// Deletes items and the first `folders` folders in one transaction.
    func delete(_ keys: [Int64], version: Int64, folders: Int) throws {
        let code = bl_lmdb_delete(store, keys, Int64(keys.count), version, Int64(folders))
        try check(code, "delete")
    }

    private func rows(
        _ operation: String, _ body: (PackedRows, inout Int64) -> Int32
    ) throws -> PackedRows {
        let rows = PackedRows()
        var count: Int64 = 0
        try check(body(rows, &count), operation)
        rows.count = Int(count)
        return rows
    }

    private func read(
        _ operation: String, _ body: (inout Int64, inout UInt64) -> Int32
    ) throws -> Reading {
        var count: Int64 = 0
        var reading = Reading()
        try check(body(&count, &reading.checksum), operation)
        reading.count = Int(count)
        return reading
    }

    /// Returns a number as an answer of one row.
    private func number(_ operation: String, _ body: (inout Int64) -> Int32) throws -> Reading {
        var number: Int64 = 0
        try check(body(&number), operation)
        return Reading(count: 1, checksum: RowChecksum(keys: [number]).value)
    }

    private func check(_ code: Int32, _ operation: String) throws {
        guard code != 0 else { return }
        throw BaselineFailure(
            library: "LMDB", operation: operation, code: code,
            message: String(cString: bl_lmdb_error(code)))
    }
}

/// Consecutive packed rows of items, which own their memory.
final class PackedRows: BaselineAnswer {
    fileprivate(set) var bytes: UnsafeMutablePointer<UInt8>?
    fileprivate(set) var length = 0
    fileprivate(set) var count = 0

    fileprivate init() {}

    deinit { free(bytes) }

    /// Reads all values.
    var reading: Reading { Reading(count: count, checksum: bl_rows_digest(bytes, length)) }
}
