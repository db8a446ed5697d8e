import CairnFiles
import Foundation

extension StoreLocation {
    /// Checks that the folder of a store that is to be made is there: for engines to call before
    /// they make anything, so that their users are told what is missing.
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

    /// Makes the folder of a store that is to be made, and the folders above it. Does nothing for a
    /// location that is no file, or if the folder is there.
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
