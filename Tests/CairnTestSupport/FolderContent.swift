import Foundation

/// The files of a folder as they were at one moment, to be put back as often as a test likes.
public struct FolderContent {
    private let folder: URL
    private let files: [String: Data]

    /// Reads all files of a folder that has no folders in it.
    ///
    /// - Throws: what Foundation throws if one cannot be read.
    public init(of folder: URL) throws {
        self.folder = folder
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        files = Dictionary(
            uniqueKeysWithValues: try names.map {
                ($0, try Data(contentsOf: folder.appending(path: $0)))
            })
    }

    /// Writes each file as it was, and removes those that were not there.
    ///
    /// - Throws: what Foundation throws if that is not possible.
    public func restore() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where files[name] == nil {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
        for (name, content) in files { try content.write(to: folder.appending(path: name)) }
    }
}
