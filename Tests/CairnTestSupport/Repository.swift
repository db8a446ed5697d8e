import Foundation

/// The checkout that the tests were built from.
public enum Repository {
    /// The top folder of the checkout, derived from this file's path.
    public static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Returns a file or folder of the checkout.
    ///
    /// - Parameter path: A path relative to the top folder, such as `Fixtures/Trails.sqlite`.
    public static func file(_ path: String) -> URL { root.appending(path: path) }

    /// Returns the text of a file of the checkout.
    ///
    /// - Throws: Foundation's error if the file cannot be read.
    public static func text(_ path: String) throws -> String {
        try String(contentsOf: file(path), encoding: .utf8)
    }

    /// Returns the folder of the modules of the build that the running tests belong to.
    ///
    /// - Throws: `NoModules` if no folder above the test program has modules.
    public static func builtModules() throws -> URL {
        let program = URL(fileURLWithPath: CommandLine.arguments.first ?? "")
        let candidates = [program, Bundle.main.bundleURL, Bundle.main.executableURL].compactMap {
            $0
        }
        for candidate in candidates {
            var folder = candidate
            for _ in 0..<4 {
                folder.deleteLastPathComponent()
                let modules = folder.appending(path: "Modules")
                let model = modules.appending(path: "CairnModel.swiftmodule")
                if FileManager.default.fileExists(atPath: model.path) { return modules }
            }
        }
        throw NoModules()
    }

    private struct NoModules: Error {}
}
