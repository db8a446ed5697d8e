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
}
