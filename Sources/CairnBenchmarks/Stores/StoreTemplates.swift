import Cairn
import Foundation

/// The stores that the report's rows measure. Each store is created once. A row that changes its store works
/// on a copy.
///
/// All files are in one folder, which is removed when this object is released.
final class StoreTemplates {
    /// The initial content of a store.
    enum Contents: String {
        /// The folders, without items.
        case folders
        /// The folders and all items.
        case items
        /// One folder that contains all items.
        case oneFolder
    }

    let folder: URL
    private var made: [String: URL] = [:]
    private var stacks: [String: Stack] = [:]
    private var copies = 0
    private var values: [Int: [ItemValues]] = [:]
    private var arenas: [String: ItemArena] = [:]
    private var memoryBaselines: [Int: MemoryBaseline] = [:]

    /// Creates the folder for the files inside another folder.
    ///
    /// - Throws: An error if the folder cannot be created.
    init(below parent: URL) throws {
        folder = parent.appendingPathComponent("cairn-bench-\(getpid())", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Returns the values of all items. They are created once for each size.
    func values(_ size: Int) -> [ItemValues] {
        if let values = values[size] { return values }
        let new = ItemValues.all(size)
        values[size] = new
        return new
    }

    // MARK: Rows without an engine

    /// Returns the items of a store in the form that the C baselines take. They are created once for each
    /// content and size.
    func arena(_ contents: Contents, size: Int) -> ItemArena {
        let name = "\(contents)-\(size)"
        if let arena = arenas[name] { return arena }
        let new = ItemArena(
            contents == .folders ? [] : values(size), folder: contents == .oneFolder ? 1 : nil)
        arenas[name] = new
        return new
    }

    /// Returns a baseline with the rows of all items in memory. It is created once for each size. The caller
    /// must not change it.
    func memoryBaseline(size: Int) -> MemoryBaseline {
        if let baseline = memoryBaselines[size] { return baseline }
        let new = newMemoryBaseline(.items, size: size)
        memoryBaselines[size] = new
        return new
    }

    /// Returns a new baseline with the rows of the given content in memory.
    func newMemoryBaseline(_ contents: Contents, size: Int) -> MemoryBaseline {
        MemoryBaseline(arena(contents, size: size))
    }

    // MARK: Stores

    /// Returns the URL of a closed store with the given content. The caller must not change the store.
    ///
    /// - Throws: `GraphError`.
    func store(_ engine: StoreType, _ contents: Contents, size: Int) throws -> URL {
        try template("\(engine.rawValue)-\(contents)-\(size)") { url in
            let stack = try Stack(engine, at: url)
            try fill(stack, contents, size)
            try stack.close()
        }
    }

    /// Returns an in-memory stack with the given content. The caller must not change its objects.
    ///
    /// - Throws: `GraphError`.
    func memoryStack(_ contents: Contents, size: Int) throws -> Stack {
        let name = "\(contents)-\(size)"
        if let stack = stacks[name] { return stack }
        let stack = try newMemoryStack(contents, size: size)
        stacks[name] = stack
        return stack
    }

    /// Returns a new in-memory stack with the given content.
    ///
    /// - Throws: `GraphError`.
    func newMemoryStack(_ contents: Contents, size: Int) throws -> Stack {
        let stack = try Stack(.inMemory, at: nil)
        try fill(stack, contents, size)
        return stack
    }

    /// Returns the URL of a GRDB database with the given content. The caller must not change the database.
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
                folder.name = "folder \(index)"
                folders.append(folder)
            }
            // Saves the folders before the items, so that the folders have the lowest keys in every engine.
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

    /// Returns a function that maps the index of an item to the index of its folder.
    private func folder(_ contents: Contents, _ size: Int) -> @Sendable (Int) -> Int {
        if contents == .oneFolder { return { _ in 0 } }
        return { ItemValues.folderIndex(at: $0, of: size) }
    }

    // MARK: Files

    /// Returns the URL of the file with the given name. The first call for a name creates the file with
    /// `make`.
    ///
    /// - Throws: The errors that `make` throws.
    func template(_ name: String, make: (URL) throws -> Void) throws -> URL {
        if let url = made[name] { return url }
        let url = folder.appendingPathComponent("\(name).store")
        try make(url)
        made[name] = url
        return url
    }

    /// Returns a new file URL. If an original is given, its files are copied there.
    ///
    /// - Throws: An error if the original cannot be copied.
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

    /// Returns the total size of a store's files.
    func byteCount(of url: URL) -> Int {
        files(of: url).reduce(0) { sum, name in
            sum + Self.byteCount(ofFile: folder.appendingPathComponent(name))
        }
    }

    /// Returns the size of a file, or of all files in a folder.
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

    /// Returns whether all of a store's files are text, except for empty files.
    func isText(_ url: URL) -> Bool {
        let files = FileManager.default
        let inside = (try? files.subpathsOfDirectory(atPath: url.path)) ?? []
        let contents = ([url] + inside.map { url.appendingPathComponent($0) }).compactMap { url in
            try? Data(contentsOf: url)
        }.filter { !$0.isEmpty }
        return !contents.isEmpty
            && contents.allSatisfy { String(data: $0, encoding: .utf8) != nil && !$0.contains(0) }
    }

    private func files(of url: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasPrefix(url.lastPathComponent) }
    }
}
