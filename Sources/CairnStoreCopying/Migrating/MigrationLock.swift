import CairnEngineKit
import CairnFiles
import CairnStore
import CairnThreads
import Foundation

/// The exclusive right to migrate a store. One process has it at a time.
///
/// The lock is a hidden file beside the store, which is removed when the migration ends. If the
/// file exists without being locked, it was left by a killed process.
package final class MigrationLock: Sendable {
    private let file: HeldFile
    private let path: String

    /// Returns the path of the lock file.
    private static func path(for location: URL) -> String {
        let folder = location.deletingLastPathComponent()
        return folder.appending(path: ".\(location.lastPathComponent).migrating").path
    }

    /// Returns whether a process is migrating the store, or was killed while it did. Only checks
    /// whether the lock file exists.
    package static func isPresent(for location: URL) -> Bool {
        access(path(for: location), F_OK) == 0
    }

    /// Takes the lock. Waits while another process, or another thread of this one, migrates the
    /// store. The wait ends if the running task is cancelled.
    ///
    /// - Throws: `.cancelled`; `.readOnly` if the folder cannot be written; `.fileFailure`.
    package init(waitingFor location: URL) throws(StoreError) {
        let path = Self.path(for: location)
        let store = StoreLocation.file(location)
        file = try store.waitForLock(
            atMost: Self.forever, translating: { .writing($0, at: store) }
        ) { () throws(FileFailure) in try Self.attempt(path, of: location.path) }
        self.path = path
    }

    /// A migration may take any length of time. Its lock is released when its process ends.
    private static let forever: Duration = .seconds(365 * 24 * 3600)

    /// Returns `nil` if the lock is held elsewhere.
    private static func attempt(
        _ path: String, of main: String
    ) throws(FileFailure) -> HeldFile? {
        let file = try HeldFile(lock: path, of: main)
        guard file.lock(isShared: false) else { return nil }
        // The locked file may have been removed by its former owner in the meantime.
        guard let held = try? file.stamp().identity, (try? FileIdentity(at: path)) == held else {
            return nil
        }
        return file
    }

    deinit { unlink(path) }
}
