import Foundation

/// The files of a folder at one moment. A test can restore them any number of times.
public struct FolderContent {
    private let folder: URL
    private let files: [String: Data]

    /// Reads all files of a folder without subfolders.
    ///
    /// - Throws: Foundation's error if a file cannot be read.
    public init(of folder: URL) throws {
        self.folder = folder
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        files = Dictionary(
            uniqueKeysWithValues: try names.map {
                ($0, try Data(contentsOf: folder.appending(path: $0)))
            })
    }

    /// Restores each file, and removes files that did not exist.
    ///
    /// - Throws: Foundation's error if this fails.
    public func restore() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where files[name] == nil {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
        for (name, content) in files { try content.write(to: folder.appending(path: name)) }
    }
}
