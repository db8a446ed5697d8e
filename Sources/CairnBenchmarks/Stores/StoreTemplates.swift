import Cairn
import CairnConformance
import Foundation

/// The stores that the report's rows measure. Each store is created once. A row that changes its store works
/// on a store of its own: a copy of the files, or if the engine's stores are not files, a store with the same
/// content.
///
/// All files are in one folder, which is removed when this object is released.
package final class StoreTemplates {
    /// The initial content of a store.
    package enum Contents: String {
        /// The folders, without items.
        case folders
        /// The folders and all items.
        case items
        /// One folder that contains all items.
        case oneFolder
    }

    package let folder: URL
    /// What the program adds to the rows.
    let additions: Additions
    private let harnesses: [StoreType: any StoreHarness]
    private var made: [String: URL] = [:]
    private var copies = 0
    private var kept: [String: Any] = [:]

    /// Creates the folder for the files inside another folder, and prepares the services of the harnesses.
    ///
    /// - Parameters:
    ///   - parent: The other folder, or `nil` for the system's temporary directory.
    ///   - harnesses: The harnesses of the engines that are not stored in files of the folder.
    /// - Throws: An error if the folder cannot be created, or the error of a harness.
    package init(
        below parent: URL?, harnesses: [any StoreHarness] = [], additions: Additions = Additions()
    ) throws {
        let parent = parent ?? FileManager.default.temporaryDirectory
        folder = parent.appendingPathComponent("cairn-bench-\(UUID())", isDirectory: true)
        self.additions = additions
        self.harnesses = Dictionary(
            harnesses.map { ($0.engine.type, $0) }, uniquingKeysWith: { first, _ in first })
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for harness in self.harnesses.values { try harness.setUp(for: folder) }
    }

    deinit {
        // An error cannot be handled here, and only concerns what is removed.
        for harness in harnesses.values { try? harness.tearDown(for: folder) }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Returns a value that is created once for each name.
    package func kept<Value>(_ name: String, make: () throws -> Value) rethrows -> Value {
        if let value = kept[name] as? Value { return value }
        let new = try make()
        kept[name] = new
        return new
    }

    /// Returns the values of all items.
    package func values(_ size: Int) -> [ItemValues] {
        kept("values-\(size)") { ItemValues.all(size) }
    }

    // MARK: Stores

    /// Returns the URL of a closed store with the given content. The caller must not change the store.
    ///
    /// - Throws: `GraphError`.
    package func store(_ engine: StoreType, _ contents: Contents, size: Int) throws -> URL {
        try template(name(engine, contents, size), of: engine) { url in
            try fill(engine, contents, size, at: url)
        }
    }

    /// Returns the URL of a new, closed store with the given content.
    ///
    /// - Throws: `GraphError`, or an error if files cannot be copied.
    package func newStore(_ engine: StoreType, _ contents: Contents, size: Int) throws -> URL {
        try newStore(name(engine, contents, size), of: engine) { url in
            try fill(engine, contents, size, at: url)
        }
    }

    /// Returns the URL of a new, closed store. Its files are copied from the template with the name. A store of
    /// a service is created with `make`.
    ///
    /// - Throws: The errors that `make` throws, or an error if files cannot be copied.
    func newStore(
        _ name: String, of engine: StoreType, make: (URL) throws -> Void
    ) throws -> URL {
        if engine.isFile { return try fresh(copying: try template(name, of: engine, make: make)) }
        let url = freshURL(of: engine)
        try make(url)
        return url
    }

    /// Returns an in-memory stack with the given content. The caller must not change its objects.
    ///
    /// - Throws: `GraphError`.
    func memoryStack(_ engine: StoreType, _ contents: Contents, size: Int) throws -> MeasuredStack {
        try kept("stack-" + name(engine, contents, size)) {
            try newMemoryStack(engine, contents, size: size)
        }
    }

    /// Returns a new in-memory stack with the given content.
    ///
    /// - Throws: `GraphError`.
    func newMemoryStack(
        _ engine: StoreType, _ contents: Contents, size: Int
    ) throws -> MeasuredStack {
        let stack = try open(engine, at: nil)
        try fill(stack, contents, size)
        return stack
    }

    /// Opens a store, or creates it, with the harness's options.
    ///
    /// - Parameter model: The model, or `nil` for the reference model.
    /// - Throws: `GraphError`.
    package func open(
        _ engine: StoreType, at url: URL?, options: StoreOptions = [:],
        model: ManagedObjectModel? = nil
    ) throws -> MeasuredStack {
        var options = options
        options.merge(self.options(of: engine)) { given, _ in given }
        return try MeasuredStack(engine, at: url, options: options, model: model)
    }

    /// Returns the options with which stores are opened.
    func options(of engine: StoreType) -> StoreOptions { harnesses[engine]?.options ?? [:] }

    /// Returns the checksum of all items in a closed store, in the order of their numbers.
    ///
    /// - Throws: `GraphError`, or the error of the program's own proof.
    package func checksum(of url: URL, _ engine: StoreType) throws -> UInt64 {
        if let proof = try additions.proof(url, engine) { return proof }
        let stack = try open(engine, at: url)
        let checksum = try stack.inContext { context in try Proof.checksum(in: context) }
        try stack.close()
        return checksum
    }

    private func name(_ engine: StoreType, _ contents: Contents, _ size: Int) -> String {
        "\(engine.rawValue)-\(contents)-\(size)"
    }

    private func fill(
        _ engine: StoreType, _ contents: Contents, _ size: Int, at url: URL
    ) throws {
        let stack = try open(engine, at: url)
        try fill(stack, contents, size)
        try stack.close()
        try additions.settle(url, engine)
    }

    func fill(_ stack: MeasuredStack, _ contents: Contents, _ size: Int) throws {
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

    package func folderCount(_ contents: Contents, _ size: Int) -> Int {
        contents == .oneFolder ? 1 : ReferenceModel.groupCount(for: size)
    }

    /// Returns a function that maps the index of an item to the index of its folder.
    package func folder(_ contents: Contents, _ size: Int) -> @Sendable (Int) -> Int {
        if contents == .oneFolder { return { _ in 0 } }
        return { ItemValues.folderIndex(at: $0, of: size) }
    }

    // MARK: Locations

    /// Returns the URL of the store with the given name. The first call for a name creates the store with
    /// `make`.
    ///
    /// - Parameter engine: The engine, or `nil` for a file of another kind.
    /// - Throws: The errors that `make` throws.
    package func template(
        _ name: String, of engine: StoreType? = nil, make: (URL) throws -> Void
    ) throws -> URL {
        if let url = made[name] { return url }
        let url = url("\(name).store", of: engine)
        try make(url)
        made[name] = url
        return url
    }

    /// Returns a new file URL. If an original is given, its files are copied there.
    ///
    /// - Throws: An error if the original cannot be copied.
    package func fresh(copying original: URL? = nil) throws -> URL {
        let url = freshURL(of: nil)
        if let original { try FileManager.default.copyItem(at: original, to: url) }
        return url
    }

    private func freshURL(of engine: StoreType?) -> URL {
        copies += 1
        return url("copy-\(copies).store", of: engine)
    }

    /// Returns the URL with which a coordinator opens the store with a name.
    private func url(_ name: String, of engine: StoreType?) -> URL {
        switch engine.flatMap({ harnesses[$0] })?.location(name, in: folder) {
        case .file(let url): url
        case .service(let service): service.urlWithPassword
        case .memory, nil: folder.appendingPathComponent(name)
        }
    }

    /// Removes a store's files.
    package func discard(_ url: URL) {
        for name in files(of: url) {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }

    /// Returns the total size of a store's files, or `nil` if the store is not in the folder.
    package func byteCount(of url: URL) -> Int? {
        let names = files(of: url)
        guard !names.isEmpty else { return nil }
        return names.reduce(0) { sum, name in
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
        return url.isFileURL ? names.filter { $0.hasPrefix(url.lastPathComponent) } : []
    }
}
