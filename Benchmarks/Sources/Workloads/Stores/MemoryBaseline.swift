import BenchmarkRows
import Baselines
import Foundation

/// A baseline for engines without an underlying library: packed rows in memory, which it finds by key,
/// category and folder.
final class MemoryBaseline {
    private let table: OpaquePointer

    /// Creates a table of items with these values. Keys start at 1.
    init(_ arena: ItemArena) {
        guard let table = bl_memory_new(arena.items.baseAddress, Int64(arena.items.count)) else {
            fatalError("no memory for \(arena.items.count) rows")
        }
        self.table = table
    }

    deinit { bl_memory_free(table) }

    // MARK: Reading

    /// Reads all items.
    func scan() -> Reading { read { bl_memory_scan(table, &$0, &$1) } }

    /// Reads all keys.
    func scanKeys() -> Reading { read { bl_memory_scan_keys(table, &$0, &$1) } }

    /// Reads items, one at a time.
    func items(byKeys keys: [Int64]) -> Reading {
        read {
            $0 = Int64(keys.count)
            bl_memory_by_key(table, keys, $0, &$1)
        }
    }

    /// Reads the items of a category.
    func items(category: Int) -> Reading {
        read { bl_memory_by_category(table, Int64(category), &$0, &$1) }
    }

    /// Reads the items in a folder.
    func items(folder: Int) -> Reading {
        read { bl_memory_by_folder(table, Int64(folder), &$0, &$1) }
    }

    /// Reads the keys of the items in a folder.
    func keys(folder: Int) -> Reading {
        read { bl_memory_keys_by_folder(table, Int64(folder), &$0, &$1) }
    }

    /// Reads the names of the folders that contain the items of a category.
    func folderNames(category: Int) -> Reading {
        read { bl_memory_folder_names(table, Int64(category), &$0, &$1) }
    }

    /// Returns the number of items.
    func count() -> Reading { number(bl_memory_count(table)) }

    /// Returns the number of items in a category.
    func count(category: Int) -> Reading {
        number(bl_memory_count_category(table, Int64(category)))
    }

    /// Returns a number as an answer of one row.
    private func number(_ number: Int64) -> Reading {
        Reading(count: 1, checksum: RowChecksum(keys: [number]).value)
    }

    /// Evaluates a query on all items.
    func ask(_ query: RowQuery) -> Reading {
        query.answer { bl_memory_query(table, &$0) }
    }

    private func read(_ body: (inout Int64, inout UInt64) -> Void) -> Reading {
        var count: Int64 = 0
        var checksum: UInt64 = 0
        body(&count, &checksum)
        return Reading(count: Int(count), checksum: checksum)
    }

    /// The checksum that `StoreTemplates` computes for a store with these items.
    var proof: UInt64 {
        let all = scan()
        return bl_digest_add(all.checksum, UInt64(all.count))
    }

    // MARK: Changing

    /// Packs and adds items.
    func insert(_ items: UnsafeBufferPointer<bl_item>) throws {
        try check(bl_memory_insert(table, items.baseAddress, Int64(items.count)), "insert")
    }

    /// Packs items again with a new price and title.
    func update(
        _ keys: [Int64], prices: [Double], titles: [UnsafePointer<CChar>?], version: Int64
    ) throws {
        let code = bl_memory_update(table, keys, prices, titles, Int64(keys.count), version)
        try check(code, "update")
    }

    /// Removes items. Folders are not rows here.
    func delete(_ keys: [Int64], version: Int64, folders: Int) throws {
        try check(bl_memory_delete(table, keys, Int64(keys.count), version), "delete")
    }

    /// Writes a binary store and syncs it.
    ///
    /// - Parameter head: The bytes before the content of the items' section.
    func write(to url: URL, head: [UInt8]) throws {
        try check(bl_memory_write(table, url.path, head, head.count), "write \(url.path)")
    }

    private func check(_ code: Int32, _ operation: String) throws {
        guard code != 0 else { return }
        throw BaselineFailure(
            library: "memory", operation: operation, code: code,
            message: String(cString: strerror(code)))
    }
}
