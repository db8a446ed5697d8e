import Foundation

/// The folders of the modules and of their test targets.
struct TestLayout {
    /// The folders of each module, as paths within the module, such as `Evaluation/Sorting`.
    var modules: [String: Set<String>]
    /// The folders within each folder of `Tests`.
    var tests: [String: Set<String>]

    /// Reads `Sources` and `Tests`. A folder counts if it contains a Swift file at any depth. Files named
    /// `main.swift` do not count: no test can import them, and what they call is in another module.
    init(root: URL) throws {
        modules = try Self.folders(in: root.appending(path: "Sources"))
        tests = try Self.folders(in: root.appending(path: "Tests"))
    }

    private static func folders(in folder: URL) throws -> [String: Set<String>] {
        struct Unreadable: Error {
            let path: String
        }
        guard let paths = FileManager.default.subpaths(atPath: folder.path) else {
            throw Unreadable(path: folder.path)
        }
        var folders: [String: Set<String>] = [:]
        for path in paths where path.hasSuffix(".swift") && !path.hasSuffix("/main.swift") {
            var names = path.split(separator: "/").dropLast().map(String.init)
            guard !names.isEmpty else { continue }
            let target = names.removeFirst()
            folders[target, default: []].formUnion(
                names.indices.map { names[...$0].joined(separator: "/") })
        }
        return folders
    }

    /// Descriptions of the test folders that do not correspond to the modules' folders.
    var violations: [String] {
        let missing = modules.keys.filter { tests[$0 + "Tests"] == nil }
            .map { "\($0) has no tests: Tests/\($0)Tests is not there" }
        let strays = modules.flatMap { module, folders in
            (tests[module + "Tests"] ?? []).subtracting(folders)
                .map { "Tests/\(module)Tests/\($0) has no counterpart in Sources/\(module)" }
        }
        return (missing + strays).sorted()
    }
}
