import Cairn
import CairnTesting
import Foundation

extension StoreFaults {
    /// Makes all calls of an operation fail as if the disk were full, until `stopFailing()`.
    package func fillDisk(at operation: StoreOperation) {
        fail(operation, calls: 1...) {
            .fileFailure(FileFailure(operation: "write", path: "\($0)", code: ENOSPC))
        }
    }
}
