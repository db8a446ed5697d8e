import BenchmarkRows
import Baselines
import Foundation

/// A baseline with items in memory that libxml2 writes as a store after each change.
final class XMLBaseline: ItemWriter {
    /// The text before the first object, as Cairn wrote it.
    private let head: String
    private let url: URL
    private let folderCount: Int
    /// The number of folders that were deleted, starting with the first.
    private var deletedFolders = 0
    private var items: [bl_item]
    /// The index of an item in ``items``, by key.
    private var places: [Int64: Int] = [:]
    // Owns the memory of the items' strings.
    private let arena: ItemArena
    private var titles: [UnsafeMutablePointer<CChar>] = []

    /// Creates the baseline.
    ///
    /// - Throws: An error if the store that provides the head cannot be created or read.
    init(_ setting: Setting, _ contents: StoreTemplates.Contents, at url: URL) throws {
        // The head must contain next keys that follow those of the items.
        let whole: StoreTemplates.Contents = contents == .folders ? .items : contents
        let store = try setting.shelf.store(.xml, whole, size: setting.size)
        let text = try String(contentsOf: store, encoding: .utf8)
        head = text.range(of: "<object").map { String(text[..<$0.lowerBound]) } ?? text
        folderCount = contents == .oneFolder ? 1 : setting.groupCount
        arena = setting.shelf.arena(contents, size: setting.size)
        items = []
        self.url = url
        add(UnsafeBufferPointer(arena.items))
    }

    deinit { for title in titles { free(title) } }

    private func add(_ new: UnsafeBufferPointer<bl_item>) {
        var key = items.last?.key ?? 0
        for var item in new {
            key += 1
            item.key = key
            item.version = 1
            places[key] = items.count
            items.append(item)
        }
    }

    /// Writes the file.
    ///
    /// - Throws: ``BaselineFailure``.
    func write() throws {
        let code = bl_xml_write(
            url.path, head, items, Int64(items.count), Int64(deletedFolders) + 1,
            Int64(folderCount))
        try Self.check(code, "write \(url.path)")
    }

    func insert(_ items: UnsafeBufferPointer<bl_item>) throws {
        add(items)
        try write()
    }

    func update(
        _ keys: [Int64], prices: [Double], titles: [UnsafePointer<CChar>?], version: Int64
    ) throws {
        for (index, key) in keys.enumerated() {
            let place = try place(of: key, version: version)
            items[place].price = prices[index]
            if let title = titles[index].flatMap({ strdup($0) }) {
                self.titles.append(title)
                items[place].title = UnsafePointer(title)
                items[place].title_length = Int32(strlen(title))
            }
            items[place].version += 1
        }
        try write()
    }

    func delete(_ keys: [Int64], version: Int64, folders: Int) throws {
        for key in keys { items[try place(of: key, version: version)].version = 0 }
        items.removeAll { $0.version == 0 }
        places = [:]
        for (place, item) in items.enumerated() { places[item.key] = place }
        deletedFolders = folders
        try write()
    }

    private func place(of key: Int64, version: Int64) throws -> Int {
        guard let place = places[key], Int64(items[place].version) == version else {
            throw BaselineFailure(
                library: "libxml2", operation: "find item \(key)", code: 0,
                message: "it is not there in version \(version)")
        }
        return place
    }

    /// Checks the result of a call.
    ///
    /// - Throws: ``BaselineFailure`` if the code reports a failure.
    static func check(_ code: Int32, _ operation: String) throws {
        guard code != 0 else { return }
        throw BaselineFailure(
            library: "libxml2", operation: operation, code: code, message: "see xmlerror.h")
    }
}
