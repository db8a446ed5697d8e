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
        /// One folder, and all items in it.
        case oneFolder
    }

    let folder: URL
    private var made: [String: URL] = [:]
    private var stacks: [String: Stack] = [:]
    private var copies = 0
    private var values: [Int: [ItemValues]] = [:]
    private var arenas: [String: ItemArena] = [:]
    private var memoryBaselines: [Int: MemoryBaseline] = [:]

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

    // MARK: Rows without an engine

    /// The items of a content as C takes them, made once for each.
    func arena(_ contents: Contents, size: Int) -> ItemArena {
        let name = "\(contents)-\(size)"
        if let arena = arenas[name] { return arena }
        let new = ItemArena(
            contents == .folders ? [] : values(size), folder: contents == .oneFolder ? 1 : nil)
        arenas[name] = new
        return new
    }

    /// Returns all items as rows in memory, made once for each size. They are not to be changed.
    func memoryBaseline(size: Int) -> MemoryBaseline {
        if let baseline = memoryBaselines[size] { return baseline }
        let new = newMemoryBaseline(.items, size: size)
        memoryBaselines[size] = new
        return new
    }

    /// Returns new rows in memory with that content.
    func newMemoryBaseline(_ contents: Contents, size: Int) -> MemoryBaseline {
        MemoryBaseline(arena(contents, size: size))
    }

    // MARK: Stores

    /// Returns the closed store with that content. It is not to be changed.
    ///
    /// - Throws: `GraphError`.
    func store(_ engine: StoreType, _ contents: Contents, size: Int) throws -> URL {
        try template("\(engine.rawValue)-\(contents)-\(size)") { url in
            let stack = try Stack(engine, at: url)
            try fill(stack, contents, size)
            try stack.close()
        }
    }

    /// Returns a stack in memory with that content. It is not to be changed.
    ///
    /// - Throws: `GraphError`.
    func memoryStack(_ contents: Contents, size: Int) throws -> Stack {
        let name = "\(contents)-\(size)"
        if let stack = stacks[name] { return stack }
        let stack = try newMemoryStack(contents, size: size)
        stacks[name] = stack
        return stack
    }

    /// Returns a new stack in memory with that content.
    ///
    /// - Throws: `GraphError`.
    func newMemoryStack(_ contents: Contents, size: Int) throws -> Stack {
        let stack = try Stack(.inMemory, at: nil)
        try fill(stack, contents, size)
        return stack
    }

    /// Returns GRDB's database with that content. It is not to be changed.
    ///
    /// - Throws: `DatabaseError`.
    func grdb(_ contents: Contents, size: Int) throws -> URL {
        try template("grdb-\(contents)-\(size)") { url in
            let peer = try GRDBPeer(url)
            try peer.createSchema()
            try peer.insertFolders(folderCount(contents, size))
            if contents != .folders {
                try peer.insert(values(size), folder: folder(contents, size))
            }
            try peer.pool.close()
        }
    }

    func fill(_ stack: Stack, _ contents: Contents, _ size: Int) throws {
        let items = contents == .folders ? [] : values(size)
        let folder = folder(contents, size)
        let folderCount = folderCount(contents, size)
        try stack.inContext { context in
            var folders: [Folder] = []
            for index in 0..<folderCount {
                let folder = try context.insert(Folder.self)
                try folder.set(.string("folder \(index)"), at: Folder.Slot.name)
                folders.append(folder)
            }
            // Before the items, so that their keys are the first ones in every engine.
            try context.save()
            for (index, values) in items.enumerated() {
                try context.insert(Item.self).setAll(values, folder: folders[folder(index)])
            }
            try context.save()
        }
    }

    private func folderCount(_ contents: Contents, _ size: Int) -> Int {
        contents == .oneFolder ? 1 : ReferenceModel.groupCount(for: size)
    }

    /// In which folder the item at a place is.
    private func folder(_ contents: Contents, _ size: Int) -> @Sendable (Int) -> Int {
        if contents == .oneFolder { return { _ in 0 } }
        return { ItemValues.folderIndex(at: $0, of: size) }
    }

    // MARK: Files

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
        for name in files(of: url) {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }

    /// The size of a store's files.
    func byteCount(of url: URL) -> Int {
        files(of: url).reduce(0) { sum, name in
            sum + Self.byteCount(ofFile: folder.appendingPathComponent(name))
        }
    }

    /// The size of a file, or of all files of a folder.
    private static func byteCount(ofFile url: URL) -> Int {
        let files = FileManager.default
        let inside = (try? files.subpathsOfDirectory(atPath: url.path)) ?? []
        let paths = [url.path] + inside.map { url.appendingPathComponent($0).path }
        return paths.reduce(0) { sum, path in
            let attributes = try? files.attributesOfItem(atPath: path)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    private func files(of url: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasPrefix(url.lastPathComponent) }
    }
}
