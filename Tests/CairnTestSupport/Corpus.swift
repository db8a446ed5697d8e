import Foundation

/// The real models and stores beside the repository, where they are there.
public enum Corpus {
    /// The folder `shared/corpus` beside the checkout, found from this file's path; see
    /// ``isThere``.
    public static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "shared/corpus")

    /// Says once whether there is a corpus.
    public static let isThere: Bool = {
        let isThere = FileManager.default.fileExists(
            atPath: root.appending(path: "expected.json").path)
        if !isThere { print("No corpus at \(root.path): its tests do not run.") }
        return isThere
    }()

    /// The folders with real files, ``root`` first.
    private static let folders = ["corpus", "corpus-more"].map {
        root.deletingLastPathComponent().appending(path: $0, directoryHint: .isDirectory)
    }

    /// What `expected.json` says of one SQLite store.
    public struct ExpectedStore: Decodable, Sendable {
        /// Rows of each entity, under the names that the store lists.
        public var counts: [String: Int]
        /// Version hash of each entity, in lower-case hexadecimal.
        public var hashes: [String: String]
        /// `NSPersistenceFrameworkVersion` of the store's metadata; `nil` if it has none.
        public var framework: Int?
        /// The store's identifier.
        public var uuid: String
    }

    /// By path from the folder above ``root``. A store that was added without an entry in its folder's
    /// `expected.json` is absent.
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

    /// The path of every SQLite store in the folders, from the folder above ``root``, sorted; found by
    /// content, so that a store that is added is tested.
    public static let storePaths: [String] = {
        let start = root.deletingLastPathComponent().path + "/"
        return all { isDatabase($0) }.map { String($0.path.dropFirst(start.count)) }.sorted()
    }()

    /// Those of ``storePaths`` that contain their model, and those that do not.
    public static let storePathsWithModel = storePaths.filter(containsModel)
    /// Those of ``storePaths`` that Core Data made or saved last with their own model, all files beside
    /// them included. The others were migrated in place, lack files, or have triggers that need the
    /// app.
    public static let wholeStorePaths = storePaths.filter { $0.hasPrefix("corpus/") }
    /// Stores written before iOS 9.
    public static let storePathsWithoutModel = storePaths.filter { !containsModel($0) }

    /// Every model of the repository that a store is from, of any form.
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

    /// The text of the schema names the table, in the file or in its log.
    private static func containsModel(_ path: String) -> Bool {
        let file = root.deletingLastPathComponent().appending(path: path).path
        return ["", "-wal"].contains { suffix in
            let data = try? Data(contentsOf: URL(fileURLWithPath: file + suffix))
            return data?.range(of: Data("Z_MODELCACHE".utf8)) != nil
        }
    }

    /// Every file and folder that is wanted, sorted by path; none where there is no corpus.
    public static func all(_ isWanted: (URL) -> Bool) -> [URL] {
        folders.flatMap { folder -> [URL] in
            let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            return walk?.compactMap { $0 as? URL }.filter(isWanted) ?? []
        }.sorted { $0.path < $1.path }
    }

    /// Copies a store with its companion files into a folder and returns the copy.
    ///
    /// - Parameter path: one of ``storePaths``.
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
