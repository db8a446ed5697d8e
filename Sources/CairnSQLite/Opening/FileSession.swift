import CairnFiles
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// The time during which this process has a store's file open.
///
/// Keeps the file in the registry of open files. Sees to it that every connection of the session is
/// one to the same file, and can tell whether a save would reach the file that the store's name
/// leads to. Removes the empty log that SQLite makes even for reading and a read-only connection
/// cannot remove.
final class FileSession: Sendable {
    private struct State {
        var entry: OpenFileRegistry.Entry?
        /// The write-ahead log and its index, while a store that may be saved to holds them open.
        var log: OpenedFile?
        var logIndex: OpenedFile?
    }

    let files: SQLiteFiles
    /// The store's file, as it was when the session began.
    let main: OpenedFile
    /// Where savers of this process wait for each other.
    let saverLine: FairLock
    let idleLockFile = IdleLockFile()
    private let state: Mutex<State>

    private var location: StoreLocation { files.location }

    /// - Throws: `.notFound`, `.locked` while the store's files are moved, `.unsupported` if the log
    ///   beside the file was written for another file, `.fileFailure`.
    init(_ files: SQLiteFiles) throws(StoreError) {
        self.files = files
        let entry: OpenFileRegistry.Entry
        do throws(FileFailure) {
            entry = try OpenFileRegistry.shared.enter(files.path)
        } catch {
            switch error.code {
            case ENOENT: throw .notFound(files.location)
            case EBUSY: throw .locked(files.location, holder: "whoever moves or removes it")
            default: throw .fileFailure(error)
            }
        }
        main = OpenedFile(at: files.path, entry.identity)
        saverLine = entry.saverLine
        state = Mutex(State(entry: entry))
        do throws(StoreError) {
            try LogRecord(files: files).requireLog(of: main.identity)
        } catch {
            OpenFileRegistry.shared.leave(entry)
            state.withLock { $0.entry = nil }
            throw error
        }
    }

    deinit { end() }

    // MARK: Connections

    /// Opens a connection to the session's file.
    ///
    /// SQLite must not open another file that has the store's name by now: it would read it through
    /// the log of the first one.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.fileFailure`; what the body throws.
    func connect(
        _ open: () throws(StoreError) -> SQLiteConnection
    ) throws(StoreError) -> SQLiteConnection {
        try main.requireName(of: location)
        let connection = try open()
        guard !connection.fileHasMoved else {
            throw .fileReplaced(location, path: main.path)
        }
        try main.requireName(of: location)
        return connection
    }

    /// Notes the log that connections of the session have open, here and in the store's lock file.
    /// Has no effect a second time: all connections must have the same log.
    ///
    /// - Throws: `.fileFailure`.
    func noteLog(_ lock: WriterLock) throws(StoreError) {
        if state.withLock({ $0.log != nil }) { return }
        let (log, logIndex) = (try opened(files.journal), try opened(files.logIndex))
        if let log { LogRecord(files: files).note(log: log.identity, of: main.identity, in: lock) }
        state.withLock { state in
            state.log = log
            state.logIndex = logIndex
        }
    }

    private func opened(_ path: String) throws(StoreError) -> OpenedFile? {
        do throws(FileFailure) {
            return try OpenedFile(at: path)
        } catch {
            if error.code == ENOENT { return nil }
            throw .fileFailure(error)
        }
    }

    // MARK: Names

    /// Checks that a save may begin: the store's name leads to the file that the session's
    /// connections have open, and the file has no other name.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.hardLinked`, `.fileFailure`.
    func requireOnlyName() throws(StoreError) { try main.requireOnlyName(of: location) }

    /// Checks what ``requireOnlyName()`` checks, and that the log and its index have their names: a
    /// save may be committed.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.hardLinked`, `.fileFailure`.
    func requireFilesForCommit() throws(StoreError) {
        try requireOnlyName()
        let (log, logIndex) = state.withLock { ($0.log, $0.logIndex) }
        try log?.requireName(of: location)
        try logIndex?.requireName(of: location)
    }

    /// Checks that what was committed can be found under the store's names.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.fileFailure`.
    func requireFiles() throws(StoreError) {
        try main.requireName(of: location)
        try state.withLock { $0.log }?.requireName(of: location)
    }

    // MARK: The end

    /// Ends the session. Has no effect a second time.
    ///
    /// - Precondition: all connections of the session are closed.
    func end() {
        let entry = state.withLock { state in
            defer { state.entry = nil }
            return state.entry
        }
        guard let entry else { return }
        removeEmptyLog()
        OpenFileRegistry.shared.leave(entry)
    }

    /// SQLite removes an empty log when the last connection closes that may write: it finds out by
    /// an exclusive lock whether another process has the store open. So this also removes what a
    /// process left that was killed while it read. A log with bytes is somebody's data.
    private func removeEmptyLog() {
        guard access(files.journal, F_OK) == 0, files.journalByteCount == 0,
            access(files.path, W_OK) == 0,
            let connection = try? connect({ () throws(StoreError) in
                try SQLiteConnection(
                    path: files.path, mode: .readWrite, location: location, busyTimeout: .zero,
                    readsRows: false)
            })
        else { return }
        // SQLite opens the log with the first read. This one parses no schema.
        try? connection.run("PRAGMA data_version")
        guard (try? requireFiles()) != nil else { return }
        try? connection.tidiesOnClose()
    }
}
