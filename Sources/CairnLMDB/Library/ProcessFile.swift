import CairnFiles
import CairnStore
import Foundation

/// A file as one process has it open: a forked child shares none of its parent's.
struct ProcessFile: Hashable, Sendable {
    let identity: FileIdentity
    private let process = getpid()

    init(_ identity: FileIdentity) { self.identity = identity }

    /// Asks which file a path leads to.
    ///
    /// - Throws: `.notFound`, `.fileFailure`.
    init(at path: String, location: StoreLocation) throws(StoreError) {
        do throws(FileFailure) {
            identity = try FileIdentity(at: path)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { throw .notFound(location) }
            throw .fileFailure(error)
        }
    }
}
