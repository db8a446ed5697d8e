import CairnFiles
import CairnStore
import Foundation

extension SQLiteStore {
    /// `false` if the store was opened with the option `synchronous` as `NORMAL`.
    public var commitsDurably: Bool { options.synchronous == .full }

    /// Waits until the medium has the write-ahead log. A store without one is synchronised by each of
    /// its commits.
    ///
    /// - Throws: `.closed`, `.fileFailure`.
    public func synchronize() throws(StoreError) {
        if isClosed { throw .closed(request.location) }
        do throws(FileFailure) {
            // SQLite locks no bytes of the log, so closing a descriptor of it gives no lock back.
            try PosixFile.sync(files.journal)
        } catch {
            if error.code != ENOENT { throw .fileFailure(error) }
        }
    }
}
