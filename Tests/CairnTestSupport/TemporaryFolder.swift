import Foundation

/// A folder for a single test. The folder is removed when this object is deallocated.
public final class TemporaryFolder: Sendable {
    /// The URL of the folder, which is initially empty.
    public let url: URL

    /// Creates the folder in the system's temporary directory.
    ///
    /// - Throws: The error of `FileManager` if the folder cannot be created.
    public init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "cairn-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A test may have removed the folder's permissions.
        try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
        try? FileManager.default.removeItem(at: url)
    }

    /// Returns the URL of a file in the folder, whether or not the file exists.
    public func file(_ name: String) -> URL { url.appending(path: name) }
}
