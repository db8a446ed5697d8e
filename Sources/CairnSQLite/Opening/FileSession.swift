import CairnFiles
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// The time during which this process has a store's file open.
///
/// Keeps the file in the registry of open files. Makes sure that all connections of the session
/// open the same file, and can tell whether a save would reach the file that the store's name leads
/// to. Removes the empty log that SQLite creates even for reading, because a read-only connection
/// cannot remove it.
final class FileSession: Sendable {
    private struct State {
        var entry: OpenFileRegistry.Entry?
        /// The write-ahead log and its index, while a store that can save holds them open.
        var log: OpenedFile?
        var logIndex: OpenedFile?
    }

    let files: SQLiteFiles
    /// The store's file at the beginning of the session.
    let main: OpenedFile
    /// The queue in which savers of this process wait for each other.
    let saverLock: FairLock
    let idleLockFile = IdleLockFile()
    private let state: Mutex<State>

    private var location: StoreLocation { files.location }

    /// - Throws: `.notFound`, `.locked` while the store's files are moved, `.unsupported` if the
    ///   log next to the file was written for another file, or `.fileFailure`.
    init(_ files: SQLiteFiles) throws(StoreError) {
        self.files = files
        let entry: OpenFileRegistry.Entry
        do {
            entry = try OpenFileRegistry.shared.enter(files.path)
        } catch {
            switch error.code {
            case ENOENT: throw .notFound(files.location)
            case EBUSY:
                throw .locked(files.location, holder: "a program that is moving or removing it")
            default: throw .fileFailure(error)
            }
        }
        main = OpenedFile(at: files.path, entry.identity)
        saverLock = entry.saverLock
        state = Mutex(State(entry: entry))
        do {
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
    /// Checks the file before and after opening. If another file has the store's name by now,
    /// SQLite must not open it, because it would read that file through the first file's log.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.fileFailure`, and the errors of the body.
    func connect(
        _ mode: SQLiteConnection.Mode, _ open: () throws(StoreError) -> SQLiteConnection
    ) throws(StoreError) -> SQLiteConnection {
        try main.requireName(of: location)
        try files.requireLogs(mayWrite: mode == .readWrite)
        let connection = try open()
        guard !connection.fileHasMoved else {
            throw .fileReplaced(location, path: main.path)
        }
        try main.requireName(of: location)
        shareLogs()
        return connection
    }

    /// Gives the log and its index the group of the store's file, if this process has created them
    /// and may do that. SQLite gives them the permissions of the file, but the group of the process
    /// unless that is root's. Other users of the store could then not open them.
    ///
    /// Opens nothing, because closing a descriptor of the index would release SQLite's locks on it.
    private func shareLogs() {
        var (store, log) = (stat(), stat())
        guard stat(files.path, &store) == 0 else { return }
        for path in [files.journal, files.logIndex]
        where lstat(path, &log) == 0 && log.st_gid != store.st_gid && log.st_uid == geteuid() {
            _ = lchown(path, uid_t.max, store.st_gid)
        }
    }

    /// Notes the log that the session's connections have open, in this session and in the store's
    /// lock file. Has no effect after the first call, because all connections must have the same
    /// log.
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
        do {
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
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.hardLinked` or `.fileFailure`.
    func requireOnlyName() throws(StoreError) { try main.requireOnlyName(of: location) }

    /// Checks that a save may be committed: the conditions of ``requireOnlyName()`` hold, and the
    /// log and its index still have their names.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced`, `.hardLinked` or `.fileFailure`.
    func requireFilesForCommit() throws(StoreError) {
        try requireOnlyName()
        let (log, logIndex) = state.withLock { ($0.log, $0.logIndex) }
        try log?.requireName(of: location)
        try logIndex?.requireName(of: location)
    }

    /// Checks that committed data can be found under the store's names.
    ///
    /// - Throws: `.fileRemoved`, `.fileReplaced` or `.fileFailure`.
    func requireFiles() throws(StoreError) {
        try main.requireName(of: location)
        try state.withLock { $0.log }?.requireName(of: location)
    }

    // MARK: Ending

    /// Ends the session. Ending a session twice has no effect.
    ///
    /// - Precondition: All connections of the session are closed.
    func end() {
        let entry = state.withLock { state in
            defer { state.entry = nil }
            return state.entry
        }
        guard let entry else { return }
        removeEmptyLog()
        OpenFileRegistry.shared.leave(entry)
    }

    /// Lets SQLite remove an empty log.
    ///
    /// SQLite removes an empty log when the last connection that may write is closed. It uses an
    /// exclusive lock to find out whether another process has the store open. Therefore this also
    /// removes the empty log of a process that was killed while it read. A log with content may
    /// hold data and is left alone.
    private func removeEmptyLog() {
        guard access(files.journal, F_OK) == 0, files.journalByteCount == 0,
            access(files.path, W_OK) == 0,
            let connection = try? connect(
                .readWrite,
                { () throws(StoreError) in
                    try SQLiteConnection(
                        path: files.path, mode: .readWrite, location: location, busyTimeout: .zero,
                        readsRows: false)
                })
        else { return }
        // SQLite opens the log with the first read. This read parses no schema.
        try? connection.run("PRAGMA data_version")
        guard (try? requireFiles()) != nil else { return }
        try? connection.enableCleanupOnClose()
    }
}
