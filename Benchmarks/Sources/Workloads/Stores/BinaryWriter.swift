import BenchmarkRows
import Baselines
import Foundation

/// A baseline with rows in memory that are written as a binary store after each change.
struct BinaryWriter: ItemWriter {
    private let memory: MemoryBaseline
    /// The bytes before the rows of the items, as Cairn wrote them.
    private let head: [UInt8]
    private let url: URL

    /// Creates the baseline.
    ///
    /// - Throws: An error if the store that provides the head cannot be created or read.
    init(_ setting: Setting, _ contents: StoreTemplates.Contents, at url: URL) throws {
        // A store without items lacks a section for them.
        let whole: StoreTemplates.Contents = contents == .folders ? .items : contents
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
