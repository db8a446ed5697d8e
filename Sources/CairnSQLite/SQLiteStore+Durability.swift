import CairnFiles
import CairnStore
import Foundation

extension SQLiteStore {
    /// `false` if the store was opened with the option `synchronous` set to `NORMAL`.
    package var commitsDurably: Bool { options.synchronous == .full }

    /// Waits until the write-ahead log is on the medium. A store without a log needs no waiting,
    /// because each of its commits is synchronized.
    ///
    /// - Throws: `.closed` or `.fileFailure`.
    package func synchronize() throws(StoreError) {
        if isClosed { throw .closed(request.location) }
        do throws(FileFailure) {
            // SQLite takes no locks on the log, so closing this descriptor releases none.
            try PosixFile.sync(files.journal)
        } catch {
            if error.code != ENOENT { throw .fileFailure(error) }
        }
    }
}
