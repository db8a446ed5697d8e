import Foundation
import Synchronization

#if os(Linux)
import CairnCLinux
#endif

/// A durable temporary file or folder that is about to take another one's place; removed where it
/// does not.
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
        if wasThere { try? FileManager.default.removeItem(atPath: held.path) }
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
        if held.isFolder {
            // The old folder then has the temporary name, and goes with this object.
            guard Self.exchange(held.path, target.path) else {
                throw target.failure("exchange with")
            }
            return held
        }
        guard rename(held.path, target.path) == 0 else { throw target.failure("rename to") }
        isThere.withLock { $0 = false }
        return held
    }

    /// Puts the file where there is none.
    ///
    /// - Returns: the file, held open; nil where there is one by now.
    /// - Throws: where it cannot be put there; nothing has changed then.
    package func create() throws(FileFailure) -> HeldFile? {
        guard try PosixFile.publish(held.path, as: target.path) else { return nil }
        isThere.withLock { $0 = false }
        return held
    }

    private static func exchange(_ path: String, _ other: String) -> Bool {
        #if canImport(Darwin)
        renamex_np(path, other, UInt32(RENAME_SWAP)) == 0
        #else
        // stdio.h: RENAME_EXCHANGE is 1 << 1.
        renameat2(AT_FDCWD, path, AT_FDCWD, other, 1 << 1) == 0
        #endif
    }
}
