import CairnStore
import Foundation
import Synchronization

/// The time during which this process has a store's file open.
///
/// Keeps the file in the registry of open files, and removes the empty journal that SQLite makes
/// even for reading and a read-only connection cannot remove.
final class FileSession: Sendable {
    private let files: StoreFiles
    private let hadJournal: Bool
    private let entry: Mutex<OpenFileRegistry.Entry?>

    /// - Throws: `.notFound`, `.locked` while its files are moved, `.fileFailure`.
    init(_ files: StoreFiles) throws(StoreError) {
        self.files = files
        hadJournal = access(files.journal, F_OK) == 0
        do throws(FileFailure) {
            entry = Mutex(try OpenFileRegistry.shared.enter(files.path))
        } catch {
            switch error.code {
            case ENOENT: throw .notFound(files.location)
            case EBUSY: throw .locked(files.location, holder: "whoever moves or removes it")
            default: throw .fileFailure(error)
            }
        }
    }

    deinit { end() }

    /// Ends it; again, does nothing.
    ///
    /// - Precondition: all connections of the session are closed.
    func end() {
        let entry = entry.withLock { entry in
            defer { entry = nil }
            return entry
        }
        guard let entry else { return }
        if !hadJournal { removeEmptyJournal() }
        OpenFileRegistry.shared.leave(entry)
    }

    /// SQLite removes an empty journal when the last connection closes that may write: it finds out
    /// by an exclusive lock whether another process has the store open.
    private func removeEmptyJournal() {
        guard access(files.journal, F_OK) == 0, files.journalByteCount == 0,
            access(files.path, W_OK) == 0,
            let connection = try? SQLiteConnection(
                path: files.path, mode: .readWrite, location: files.location,
                busyTimeout: .zero)
        else { return }
        try? connection.statement("SELECT 1 FROM sqlite_master LIMIT 1").run()
        try? connection.tidiesOnClose()
    }
}
