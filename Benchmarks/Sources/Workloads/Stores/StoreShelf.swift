import Cairn
import Foundation

/// The stores that rows start from, each made once, and copies of them to be changed.
///
/// Everything is in one folder, which goes with the shelf.
final class StoreShelf {
    /// What a store holds to begin with.
    enum Contents: String {
        /// The folders, and no item.
        case folders
        /// The folders and all items.
        case items
    }

    let folder: URL
    private var made: [String: URL] = [:]
    private var copies = 0
    private var values: [Int: [ItemValues]] = [:]

    /// Makes a folder of its own below another one.
    ///
    /// - Throws: where it cannot be made.
    init(below parent: URL) throws {
        folder = parent.appendingPathComponent("cairn-bench-\(getpid())", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The items' values, made once for each size.
    func values(_ size: Int) -> [ItemValues] {
        if let values = values[size] { return values }
        let new = ItemValues.all(size)
        values[size] = new
        return new
    }

    /// Returns the closed store with that content. It is not to be changed.
    ///
    /// - Throws: `GraphError`.
    func store(_ engine: StoreType, _ contents: Contents, size: Int) throws -> URL {
        try template("\(engine)-\(contents)-\(size)") { url in
            try Self.fill(
                url, engine, folders: ReferenceModel.groupCount(for: size),
                items: contents == .items ? self.values(size) : [])
        }
    }

    /// Returns a file that is made once under its name.
    ///
    /// - Throws: what making it throws.
    func template(_ name: String, make: (URL) throws -> Void) throws -> URL {
        if let url = made[name] { return url }
        let url = folder.appendingPathComponent("\(name).store")
        try make(url)
        made[name] = url
        return url
    }

    /// Returns a place for a file, where there is none; a copy of a file where one is given.
    ///
    /// - Throws: where it cannot be copied.
    func fresh(copying original: URL? = nil) throws -> URL {
        copies += 1
        let url = folder.appendingPathComponent("copy-\(copies).store")
        if let original { try FileManager.default.copyItem(at: original, to: url) }
        return url
    }

    /// Removes a store's files.
    func discard(_ url: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(url.lastPathComponent) {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }

    /// The size of a store's files.
    func byteCount(of url: URL) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let sizes = names.filter { $0.hasPrefix(url.lastPathComponent) }.map { name in
            let path = folder.appendingPathComponent(name).path
            return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        }
        return sizes.reduce(0, +)
    }

    private static func fill(
        _ url: URL, _ engine: StoreType, folders: Int, items: [ItemValues]
    ) throws {
        let stack = try Stack(engine, at: url)
        try stack.inContext { context in
            var all: [Folder] = []
            for index in 0..<folders {
                let folder = try context.insert(Folder.self)
                try folder.set(.string("folder \(index)"), at: Folder.Slot.name)
                all.append(folder)
            }
            try context.obtainPermanentIDs(for: all)
            for (index, values) in items.enumerated() {
                let folder = all[ItemValues.folderIndex(at: index, of: items.count)]
                try context.insert(Item.self).setAll(values, folder: folder)
            }
            try context.save()
        }
        try stack.close()
    }
}
