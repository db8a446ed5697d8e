import Foundation

/// The real models and stores in a folder next to the repository. The folder is optional.
public enum Corpus {
    /// The folder `shared/corpus` next to the checkout, derived from this file's path. See ``isThere``.
    public static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "shared/corpus")

    /// Whether the corpus exists. Prints a message once if it does not.
    public static let isThere: Bool = {
        let isThere = FileManager.default.fileExists(
            atPath: root.appending(path: "expected.json").path)
        if !isThere { print("No corpus at \(root.path): its tests do not run.") }
        return isThere
    }()

    /// The folders that contain real files, starting with ``root``.
    private static let folders = ["corpus", "corpus-more"].map {
        root.deletingLastPathComponent().appending(path: $0, directoryHint: .isDirectory)
    }

    /// The expected content of a SQLite store, from `expected.json`.
    public struct ExpectedStore: Decodable, Sendable {
        /// The number of rows of each entity, under the names that the store lists.
        public var counts: [String: Int]
        /// The version hash of each entity, in lower-case hexadecimal.
        public var hashes: [String: String]
        /// The `NSPersistenceFrameworkVersion` in the store's metadata, or `nil` if the metadata has none.
        public var framework: Int?
        /// The store's identifier.
        public var uuid: String
    }

    /// The expected content of each store, by path relative to the parent folder of ``root``. Stores without
    /// an entry in their folder's `expected.json` are absent.
    public static let stores: [String: ExpectedStore] = {
        var stores: [String: ExpectedStore] = [:]
        for folder in folders {
            guard let data = try? Data(contentsOf: folder.appending(path: "expected.json"))
            else { continue }
            guard
                let listed = try? JSONDecoder().decode([String: ExpectedStore].self, from: data)
            else { preconditionFailure("\(folder.path)/expected.json does not parse") }
            for (path, store) in listed { stores["\(folder.lastPathComponent)/\(path)"] = store }
        }
        return stores
    }()

    /// The path of every SQLite store in the folders, relative to the parent folder of ``root``, sorted.
    /// Stores are found by their content, so that newly added stores are tested.
    public static let storePaths: [String] = {
        let start = root.deletingLastPathComponent().path + "/"
        return all { isDatabase($0) }.map { String($0.path.dropFirst(start.count)) }.sorted()
    }()

    /// The elements of ``storePaths`` whose stores contain their model.
    public static let storePathsWithModel = storePaths.filter(containsModel)
    /// The elements of ``storePaths`` whose stores are complete with all their files, and were created or
    /// last saved by Core Data with their own model. The other stores were migrated in place, lack files, or
    /// have triggers that need the app.
    public static let wholeStorePaths = storePaths.filter { $0.hasPrefix("corpus/") }
    /// The elements of ``storePaths`` whose stores contain no model. They were written before iOS 9.
    public static let storePathsWithoutModel = storePaths.filter { !containsModel($0) }

    /// Returns every model, in any format, of the repository that a store comes from.
    public static func models(beside path: String) -> [URL] {
        let repository = path.split(separator: "/").prefix(2).joined(separator: "/")
        let start = root.deletingLastPathComponent().appending(path: repository).path
        return all { url in
            ["xcdatamodel", "mom"].contains(url.pathExtension) && url.path.hasPrefix(start)
        }
    }

    private static func isDatabase(_ url: URL) -> Bool {
        guard let file = FileHandle(forReadingAtPath: url.path) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
    }

    /// Returns whether the file or its log names the model table, as the text of the schema does.
    private static func containsModel(_ path: String) -> Bool {
        let file = root.deletingLastPathComponent().appending(path: path).path
        return ["", "-wal"].contains { suffix in
            let data = try? Data(contentsOf: URL(fileURLWithPath: file + suffix))
            return data?.range(of: Data("Z_MODELCACHE".utf8)) != nil
        }
    }

    /// Returns every matching file and folder, sorted by path. Returns an empty array if the corpus does not
    /// exist.
    public static func all(_ isWanted: (URL) -> Bool) -> [URL] {
        folders.flatMap { folder -> [URL] in
            let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            return walk?.compactMap { $0 as? URL }.filter(isWanted) ?? []
        }.sorted { $0.path < $1.path }
    }

    /// Copies a store with its companion files into a folder and returns the copy.
    ///
    /// - Parameter path: An element of ``storePaths``.
    public static func copy(_ path: String, into folder: URL) throws -> URL {
        let source = root.deletingLastPathComponent().appending(path: path)
        let target = folder.appending(path: source.lastPathComponent)
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let file = URL(fileURLWithPath: source.path + suffix)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            let copy = URL(fileURLWithPath: target.path + suffix)
            try FileManager.default.copyItem(at: file, to: copy)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: copy.path)
        }
        return target
    }
}
