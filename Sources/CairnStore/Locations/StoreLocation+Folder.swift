import CairnFiles
import Foundation

extension StoreLocation {
    /// Checks that the folder of a store that is about to be created exists. Engines call this
    /// before they create anything, so that users are told which folder is missing.
    ///
    /// - Throws: `.folderMissing`.
    public func requireFolder() throws(StoreError) {
        guard let folder = fileURL?.followingLinks.deletingLastPathComponent() else {
            return
        }
        var status = stat()
        guard stat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .folderMissing(self, folder: folder)
        }
    }

    /// Creates the folder of a store that is about to be created, including missing parent folders.
    /// Does nothing if the location is not a file, or if the folder exists.
    ///
    /// - Throws: `.fileFailure`.
    package func makeFolder() throws(StoreError) {
        guard let folder = fileURL?.deletingLastPathComponent() else { return }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw .fileFailure(
                FileFailure(operation: "mkdir", path: folder.path, code: error.posixCode))
        }
    }
}
