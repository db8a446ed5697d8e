import CairnFiles
import CairnStore
import CairnThreads
import Foundation

/// The right to migrate a store, which one process has at a time.
///
/// The lock is a hidden file beside the store. The file is removed when the migration ends, so one that
/// is there and not locked was left by a process that was killed.
package final class MigrationLock: Sendable {
    private let file: HeldFile
    private let path: String

    /// The lock's file.
    private static func path(for location: URL) -> String {
        let folder = location.deletingLastPathComponent()
        return folder.appending(path: ".\(location.lastPathComponent).migrating").path
    }

    /// Whether a process is migrating the store, or was killed while it did. Asks for the file alone.
    package static func isPresent(for location: URL) -> Bool {
        access(path(for: location), F_OK) == 0
    }

    /// Takes the lock. Waits as long as another process, or another thread of this one, migrates the
    /// store, and ends to wait if the running task is cancelled.
    ///
    /// - Throws: `.cancelled`; `.readOnly` if the folder cannot be written; `.fileFailure`.
    package init(waitingFor location: URL) throws(StoreError) {
        let path = Self.path(for: location)
        file = try TimedLock.wait(Self.forever, for: .file(location)) { () throws(StoreError) in
            do throws(FileFailure) {
                return try Self.attempt(path)
            } catch {
                throw .writing(error, at: .file(location))
            }
        }
        self.path = path
    }

    /// A migration takes as long as it takes; its lock ends with its process.
    private static let forever: Duration = .seconds(365 * 24 * 3600)

    /// Returns `nil` if another has the lock.
    private static func attempt(_ path: String) throws(FileFailure) -> HeldFile? {
        let file = try HeldFile(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW)
        guard file.lock(isShared: false) else { return nil }
        // The file that was locked may be one that its owner has removed.
        guard let held = try? file.stamp().identity, (try? FileIdentity(at: path)) == held else {
            return nil
        }
        return file
    }

    deinit { unlink(path) }
}
