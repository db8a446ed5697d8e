import Foundation

/// A folder of a test's own, removed when the test lets go of it.
public final class TemporaryFolder: Sendable {
    /// Empty at first, and no other test's.
    public let url: URL

    /// Makes the folder among the system's temporary files.
    ///
    /// - Throws: what `FileManager` throws where it cannot be made.
    public init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "cairn-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A test may have taken the folder's permissions away.
        try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in the folder, there or not.
    public func file(_ name: String) -> URL { url.appending(path: name) }
}
