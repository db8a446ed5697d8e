import Baselines
import Foundation

/// Rows in memory that are written as a binary store after each change: the baseline.
struct BinaryWriter: ItemWriter {
    private let memory: MemoryBaseline
    /// Everything before the items' rows, as Cairn wrote it.
    private let head: [UInt8]
    private let url: URL

    /// - Throws: where the store that the head is from cannot be made or read.
    init(_ setting: Setting, _ contents: StoreShelf.Contents, at url: URL) throws {
        // A store without items has no section of theirs.
        let whole: StoreShelf.Contents = contents == .folders ? .items : contents
        let store = try setting.shelf.store(.binary, whole, size: setting.size)
        head = try BinaryBaseline(reading: store).head
        memory = setting.shelf.newMemoryBaseline(contents, size: setting.size)
        self.url = url
    }

    func insert(_ items: UnsafeBufferPointer<bl_item>) throws {
        try memory.insert(items)
        try memory.write(to: url, head: head)
    }

    func update(
        _ keys: [Int64], prices: [Double], titles: [UnsafePointer<CChar>?], version: Int64
    ) throws {
        try memory.update(keys, prices: prices, titles: titles, version: version)
        try memory.write(to: url, head: head)
    }

    func delete(_ keys: [Int64], version: Int64, folders: Int) throws {
        try memory.delete(keys, version: version, folders: folders)
        try memory.write(to: url, head: head)
    }
}
