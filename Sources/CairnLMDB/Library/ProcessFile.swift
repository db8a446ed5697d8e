import CairnFiles
import CairnStore
import Foundation

/// A file as opened by one process. A forked child does not share files with its parent.
struct ProcessFile: Hashable, Sendable {
    let identity: FileIdentity
    private let process = getpid()

    init(_ identity: FileIdentity) { self.identity = identity }

    /// Identifies the file that a path leads to.
    ///
    /// - Throws: `.notFound` or `.fileFailure`.
    init(at path: String, location: StoreLocation) throws(StoreError) {
        do throws(FileFailure) {
            identity = try FileIdentity(at: path)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { throw .notFound(location) }
            throw .fileFailure(error)
        }
    }
}
