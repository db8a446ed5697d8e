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

    /// Returns all Swift files in a folder.
    ///
    /// - Parameter folder: A path relative to the repository.
    static func all(in folder: String = "Sources") throws -> [File] {
        let root = Repository.file(folder)
        var files: [File] = []
        let found = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        for case let file as URL in found ?? .init() where file.pathExtension == "swift" {
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
