import CairnFiles
import CairnStore
import Foundation

extension StoreError {
    /// Returns the error for a file beside a store that an engine could not open for writing.
    ///
    /// Returns `.readOnly` if this process may not write the store's file, its folder or its file
    /// system. Otherwise returns `.fileFailure`, which names the file: for example, it belongs to
    /// another user, although this process may write the store.
    package static func writing(_ failure: FileFailure, at location: StoreLocation) -> StoreError {
        guard failure.meansReadOnly else { return .fileFailure(failure) }
        var status = stat()
        let isAlone = lstat(failure.path, &status) == 0 && failure.code != EROFS
        guard isAlone, let store = location.fileURL?.path, access(store, W_OK) == 0 else {
            return .readOnly(location)
        }
        return .fileFailure(failure)
    }
}
