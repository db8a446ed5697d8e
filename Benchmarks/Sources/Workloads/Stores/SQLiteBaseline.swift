import BenchmarkRows
import Baselines
import Foundation

/// A baseline that uses SQLite's C library on a store.
final class SQLiteBaseline {
    /// A query for Core Data's columns, for a proof.
    static let proof = """
        SELECT Z_PK, ZNUMBER, ZCATEGORY, ZPRICE, ZRATING, ZACTIVE, ZCREATED, ZNAME, ZTITLE, \
        ZCODE, ZNOTE, ZFOLDER, Z_OPT FROM ZITEM ORDER BY ZNUMBER
        """

    private let store: OpaquePointer?

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - writable: Whether the store is opened for saving, with full syncs.
    /// - Throws: ``BaselineFailure``.
    init(_ url: URL, writable: Bool = false) throws {
        var opened: OpaquePointer?
        let code = bl_sqlite_open(url.path, writable ? 1 : 0, 1, &opened)
        store = opened
        try check(code, "open")
    }

    deinit { bl_sqlite_close(store) }

    /// Steps through all items and reads all columns.
    func scan() throws -> Reading {
        try read("scan") { bl_sqlite_scan(store, &$0, &$1) }
    }

    /// Steps through the keys of all items.
    func scanKeys() throws -> Reading {
        try read("scan keys") { bl_sqlite_scan_keys(store, &$0, &$1) }
    }

    /// Reads the first column of a query's rows.
    func integers(_ sql: String, _ parameter: Int64 = 0) throws -> Reading {
        try read("query") { bl_sqlite_integers(store, sql, parameter, &$0, &$1) }
    }

    /// Reads the first column of a query's rows, which must be text.
    func texts(_ sql: String) throws -> Reading {
        try read("query") { bl_sqlite_texts(store, sql, &$0, &$1) }
    }

    /// Reads the title, number and price of all items.
    func columns() throws -> Reading {
        try read("query") { bl_sqlite_columns(store, &$0, &$1) }
    }

    /// Reads items, one at a time.
    func items(byKeys keys: [Int64]) throws -> Reading {
        try read("read by key") {
            $0 = Int64(keys.count)
            return bl_sqlite_by_key(store, keys, Int64(keys.count), &$1)
        }
    }

    /// Reads items with all columns.
    ///
    /// - Parameters:
    ///   - rest: The text after `FROM ZITEM`.
    ///   - parameter: The value of `?1`.
    func items(_ rest: String, _ parameter: Int64 = 0) throws -> Reading {
        try read("read items") { bl_sqlite_items(store, rest, parameter, &$0, &$1) }
    }

    /// Inserts items in one transaction.
    func insert(_ items: UnsafeBufferPointer<bl_item>) throws {
        try check(bl_sqlite_insert(store, items.baseAddress, Int64(items.count)), "insert")
    }

    /// Sets the price and title of items in one transaction.
    func update(
        _ keys: [Int64], prices: [Double], titles: [UnsafePointer<CChar>?], version: Int64
    ) throws {
        let code = bl_sqlite_update(store, keys, prices, titles, Int64(keys.count), version)
        try check(code, "update")
    }

    /// Deletes items and the first `folders` folders in one transaction.
    func delete(_ keys: [Int64], version: Int64, folders: Int) throws {
        let code = bl_sqlite_delete(store, keys, Int64(keys.count), version, Int64(folders))
        try check(code, "delete")
    }

    /// Deletes a chain of links, starting with the first, in one transaction. Returns the number of links.
    func deleteChain(from first: Int64) throws -> Int {
        var count: Int64 = 0
        try check(bl_sqlite_delete_chain(store, first, &count), "delete a chain")
        return Int(count)
    }

    /// Reads back the content of a file.
    ///
    /// - Parameter sql: A query for the columns that `bl_sqlite_prove` requires.
    /// - Throws: ``BaselineFailure``.
    static func prove(_ url: URL, _ sql: String = proof) throws -> UInt64 {
        var count: Int64 = 0
        var checksum: UInt64 = 0
        let code = bl_sqlite_prove(url.path, sql, &count, &checksum)
        guard code == 0 else {
            throw BaselineFailure(library: "SQLite", operation: "prove", code: code, message: sql)
        }
        return bl_digest_add(checksum, UInt64(count))
    }

    private func read(
        _ operation: String, _ body: (inout Int64, inout UInt64) -> Int32
    ) throws -> Reading {
        var count: Int64 = 0
        var checksum: UInt64 = 0
        try check(body(&count, &checksum), operation)
        return Reading(count: Int(count), checksum: checksum)
    }

    private func check(_ code: Int32, _ operation: String) throws {
        guard code != 0 else { return }
        throw BaselineFailure(
            library: "SQLite", operation: operation, code: code,
            message: String(cString: bl_sqlite_error(store)))
    }
}

/// A C library returned an error to a baseline.
struct BaselineFailure: Error, CustomStringConvertible {
    var library: String
    var operation: String
    var code: Int32
    var message: String

    var description: String {
        "the \(library) baseline could not \(operation): code \(code), \(message)"
    }
}
