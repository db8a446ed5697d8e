import Baselines
import BenchmarkRows
import Foundation

/// A baseline that uses libpq on a store.
final class PostgreSQLBaseline {
    private let store: OpaquePointer?

    /// Connects to the server and prepares the statements.
    ///
    /// - Throws: ``BaselineFailure``.
    init(_ url: URL) throws {
        var opened: OpaquePointer?
        let code = bl_postgres_open(
            PostgreSQLHarness.database?.absoluteString, url.lastPathComponent, &opened)
        store = opened
        try check(code, "open")
    }

    deinit { bl_postgres_close(store) }

    /// Reads all items.
    func scan() throws -> Reading {
        try read("scan") { bl_postgres_scan(store, &$0, &$1) }
    }

    /// Reads the keys of all items.
    func scanKeys() throws -> Reading {
        try read("scan keys") { bl_postgres_scan_keys(store, &$0, &$1) }
    }

    /// Reads the items of a category.
    func items(category: Int) throws -> Reading {
        try read("read a category") {
            bl_postgres_by_category(store, Int64(category), &$0, &$1)
        }
    }

    /// Reads items by their keys, a number of them in each round trip.
    func items(byKeys keys: [Int64], atOnce: Int) throws -> Reading {
        try read("read by key") {
            $0 = Int64(keys.count)
            return bl_postgres_by_key(store, keys, $0, Int64(atOnce), &$1)
        }
    }

    /// Returns the checksum of all items in a store, for which their keys do not count: an open store reserves more keys
    /// than it gives out.
    ///
    /// - Throws: ``BaselineFailure``.
    static func prove(_ url: URL) throws -> UInt64 {
        let baseline = try PostgreSQLBaseline(url)
        let reading = try baseline.read("prove") { bl_postgres_prove(baseline.store, &$0, &$1) }
        return bl_digest_add(reading.checksum, UInt64(reading.count))
    }

    /// Prepares a new store for rows, in which the items are expected in the order of their keys.
    ///
    /// - Throws: ``BaselineFailure``.
    static func settle(_ url: URL) throws {
        let database = PostgreSQLHarness.database?.absoluteString
        guard bl_postgres_settle(database, url.lastPathComponent) != 0 else { return }
        throw BaselineFailure(
            library: "PostgreSQL", operation: "settle", code: 1, message: url.lastPathComponent)
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
            library: "PostgreSQL", operation: operation, code: code,
            message: String(cString: bl_postgres_error(store)))
    }
}

extension PostgreSQLBaseline: ItemWriter {
    func insert(_ items: UnsafeBufferPointer<bl_item>) throws {
        try check(bl_postgres_insert(store, items.baseAddress, Int64(items.count)), "insert")
    }

    func update(
        _ keys: [Int64], prices: [Double], titles: [UnsafePointer<CChar>?], version: Int64
    ) throws {
        let code = bl_postgres_update(store, keys, prices, titles, Int64(keys.count), version)
        try check(code, "update")
    }

    /// No row that is measured needs it.
    func delete(_ keys: [Int64], version: Int64, folders: Int) throws { try check(1, "delete") }

    func warm() throws { _ = try scan() }
}
