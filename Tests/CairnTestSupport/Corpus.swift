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

    /// What `expected.json` says of one SQLite store.
    public struct ExpectedStore: Decodable, Sendable {
        /// Rows of each entity.
        public var counts: [String: Int]
        /// Version hash of each entity, in lower-case hexadecimal.
        public var hashes: [String: String]
        /// `NSPersistenceFrameworkVersion` of the store's metadata.
        public var framework: Int
        /// The store's identifier.
        public var uuid: String
    }

    /// By path from ``root``; empty where there is no corpus.
    public static let stores: [String: ExpectedStore] = {
        guard isThere else { return [:] }
        let file = root.appending(path: "expected.json")
        guard let data = try? Data(contentsOf: file),
            let stores = try? JSONDecoder().decode([String: ExpectedStore].self, from: data)
        else { preconditionFailure("expected.json of the corpus does not parse") }
        return stores
    }()

    /// The paths of ``stores``, sorted.
    public static let storePaths: [String] = stores.keys.sorted()

    /// Every file and folder that is wanted, sorted by path; none where there is no corpus.
    public static func all(_ isWanted: (URL) -> Bool) -> [URL] {
        guard let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        else { return [] }
        return walk.compactMap { $0 as? URL }.filter(isWanted).sorted { $0.path < $1.path }
    }

    /// Copies a store with its companion files into a folder and returns the copy.
    public static func copy(_ path: String, into folder: URL) throws -> URL {
        let source = root.appending(path: path)
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
