import Foundation
import Synchronization

/// A durable temporary file that is about to take another one's place; removed where it does not.
package final class PendingFile: Sendable {
    private let held: HeldFile
    private let target: DurableFile
    private let isThere = Mutex(true)

    init(_ held: HeldFile, replacing target: DurableFile) {
        self.held = held
        self.target = target
    }

    deinit { remove() }

    /// Removes the temporary file; nothing after it took its place.
    package func remove() {
        let wasThere = isThere.withLock { isThere in
            defer { isThere = false }
            return isThere
        }
        if wasThere { unlink(held.path) }
    }

    /// Shares the file before anybody sees it; see ``HeldFile/lock(isShared:)``.
    package func share() { _ = held.lock(isShared: true) }

    /// Puts the file in the place of the one that is there, or of none.
    ///
    /// The new content is seen from then on, and durable after ``DurableFile/synchronizeFolder()``.
    ///
    /// - Returns: the file, held open.
    /// - Throws: where it cannot be renamed; everything is as it was then.
    package func replace() throws(FileFailure) -> HeldFile {
        guard rename(held.path, target.path) == 0 else { throw target.failure("rename to") }
        isThere.withLock { $0 = false }
        return held
    }

    /// Puts the file where there is none.
    ///
    /// - Returns: the file, held open; nil where there is one by now.
    /// - Throws: where it cannot be put there; nothing has changed then.
    package func create() throws(FileFailure) -> HeldFile? {
        // A link, unlike a rename, never takes the place of a file that is there.
        if link(held.path, target.path) == 0 {
            remove()
            return held
        }
        if errno == EEXIST { return nil }
        // Some file systems have no links.
        guard errno == EPERM || errno == ENOTSUP, access(target.path, F_OK) != 0 else {
            throw target.failure("link to")
        }
        return try replace()
    }
}
