import Cairn

/// One part of a row on one engine, for a program that adds contenders of its own.
public struct BenchmarkRow {
    /// The row's name for `--workload`.
    public let name: String
    /// The part of the row. Empty if the row has only one part.
    public let part: String
    package let setting: Setting

    package init(name: String, part: String, setting: Setting) {
        self.name = name
        self.part = part
        self.setting = setting
    }

    /// The type of the engine that the row measures.
    public var engine: StoreType { setting.engine }

    /// The values of all items, in the order of their keys, which begin at 1.
    public var items: [ItemValues] { setting.shelf.values(setting.size) }

    /// Returns the location of the engine's own store with all items, which is closed, and which the caller must
    /// not change. Returns `nil` if the engine's stores do not outlive the process.
    ///
    /// - Throws: `GraphError` if the store cannot be created.
    public func store() throws -> StoreLocation? {
        guard setting.engine.isDurable else { return nil }
        let url = try setting.itemsURL()
        return url.isFileURL ? .file(url) : ServiceLocation(url).map(StoreLocation.service)
    }

    /// Returns a sample of work that read whole items. Their values are compared with those that Cairn reads.
    ///
    /// - Parameters:
    ///   - watch: The stopwatch that was started before the work.
    ///   - items: The items in the order in which they were read. They are recognized by their numbers.
    public func sample(_ watch: Stopwatch, read items: [ItemValues]) -> Sample {
        let digests = items.lazy.map { item in
            let folder = ItemValues.folderIndex(at: Int(item.number), of: setting.size)
            return item.digest(key: item.number + 1, folder: Int64(folder) + 1, version: 1)
        }
        return Sample(
            watch, operations: items.count, checksum: RowChecksum(digests).value)
    }
}
