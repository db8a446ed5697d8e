import CairnFiles
import CairnModel
import Foundation

extension PersistentStore {
    /// False: an engine that does not look at files is picked by its type alone.
    public static func recognizes(_ location: StoreLocation) -> Bool { false }

    /// nil: the content shows no model.
    public static func derivedModel(
        at location: StoreLocation
    ) throws(StoreError) -> ModelDescription? {
        nil
    }

    /// Runs the body.
    public static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try body()
    }
}

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
