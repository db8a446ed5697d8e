import Foundation

/// The real models and stores beside the repository, where they are there.
enum Corpus {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/corpus")

    /// Every file and folder of that extension or name, sorted; none where there is no corpus.
    static func all(_ isWanted: (URL) -> Bool) -> [URL] {
        guard let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        else { return [] }
        return walk.compactMap { $0 as? URL }.filter(isWanted).sorted { $0.path < $1.path }
    }

    static let sources = all { $0.lastPathComponent == "contents" }
    static let elements = all { $0.lastPathComponent == "elements" }
    static let compiled = all { $0.pathExtension == "mom" }
    static let compiledBundles = all { $0.pathExtension == "momd" }
    static let sourceBundles = all { $0.pathExtension == "xcdatamodeld" }

    /// Says once whether there is a corpus.
    static let isThere: Bool = {
        let isThere = FileManager.default.fileExists(
            atPath: root.appendingPathComponent("expected.json").path)
        if !isThere { print("No corpus at \(root.path): its tests are skipped.") }
        return isThere
    }()

    /// What `expected.json` says of each store.
    struct Expected: Decodable {
        var hashes: [String: String]
        var uuid: String
        var framework: Int?
    }

    static func expected() throws -> [String: Expected] {
        let data = try Data(contentsOf: root.appendingPathComponent("expected.json"))
        return try JSONDecoder().decode([String: Expected].self, from: data)
    }
}
