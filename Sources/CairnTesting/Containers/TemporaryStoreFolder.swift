import Cairn
import CairnFiles
import Foundation

/// A folder for the stores of one container. It is removed when this object is released.
///
/// If a process ends without removing its folder, the next process that creates a folder removes it.
final class TemporaryStoreFolder: Sendable {
    private let folder: WorkFolder

    /// The path of each folder, up to a unique part.
    static let prefix = FileManager.default.temporaryDirectory.appending(path: "cairn-testing-")
        .path
    private static let firstRemoval: Void = removeAbandoned()

    /// Removes the folders of processes that ended.
    static func removeAbandoned() {
        for folder in WorkFolder.abandoned(prefix: prefix) { folder.remove() }
    }

    /// - Throws: the failure of the file system. No folder is left after a failure.
    init() throws(FileFailure) {
        _ = Self.firstRemoval
        folder = try WorkFolder.make(prefix: Self.prefix)
    }

    deinit { folder.remove() }

    /// The URL of a file in the folder.
    func file(_ name: String) -> URL { URL(filePath: folder.path).appending(path: name) }
}
