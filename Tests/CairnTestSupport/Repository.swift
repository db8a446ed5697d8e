import Foundation

/// The checkout that the tests were built from.
public enum Repository {
    /// Its top folder, found from this file's path.
    public static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Returns a file or folder of the checkout.
    ///
    /// - Parameter path: from the top folder, such as `Fixtures/Trails.sqlite`.
    public static func file(_ path: String) -> URL { root.appending(path: path) }

    /// The text of a file of the checkout.
    ///
    /// - Throws: what Foundation throws if the file cannot be read.
    public static func text(_ path: String) throws -> String {
        try String(contentsOf: file(path), encoding: .utf8)
    }
}
