import CairnTestSupport
import Foundation

/// The Swift files of the modules, for tests that inspect source code.
enum SourceFiles {
    struct File {
        let module: String
        /// The path, relative to the repository.
        let path: String
        /// The file name without its extension, up to the first `+`.
        let typeName: String
        let text: String
    }

    /// The folders with Swift code of the project. Folders of builds are hidden.
    static let foldersOfCode = [
        "Sources", "Tests", "Plugins", "Examples", "Benchmarks", "Fixtures/Generator",
    ]

    /// Returns the Markdown pages of the project.
    static func pages() throws -> [File] {
        let names = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
        let top = try names.filter { $0.hasSuffix(".md") }.sorted().map { name in
            File(module: "", path: name, typeName: name, text: try Repository.text(name))
        }
        return try top
            + (foldersOfCode + ["docs", "Fixtures"]).flatMap { try all(in: $0, type: "md") }
    }

    /// Returns all files of a type in a folder, such as Swift files.
    ///
    /// - Parameters:
    ///   - folder: A path relative to the repository.
    ///   - type: The extension of the files.
    static func all(in folder: String = "Sources", type: String = "swift") throws -> [File] {
        let root = Repository.file(folder)
        var files: [File] = []
        let found = FileManager.default.enumerator(
            at: root, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        for case let file as URL in found ?? .init() where file.pathExtension == type {
            let parts = file.pathComponents.dropFirst(root.pathComponents.count)
            let name = file.deletingPathExtension().lastPathComponent
            files.append(
                File(
                    module: parts.first ?? "", path: ([folder] + parts).joined(separator: "/"),
                    typeName: name.split(separator: "+").first.map(String.init) ?? name,
                    text: try String(contentsOf: file, encoding: .utf8)))
        }
        return files.sorted { $0.path < $1.path }
    }
}
