import CairnFiles
import Foundation

extension StoreLocation {
    /// Makes the folder of a store that is to be made, and the folders above it. Does nothing for a
    /// store in memory, or if the folder is there.
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
