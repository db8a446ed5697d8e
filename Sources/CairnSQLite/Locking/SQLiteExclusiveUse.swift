import CairnFiles
import CairnStore
import Foundation

/// Exclusive access to a store's files, so that they can be moved, replaced, removed or migrated.
/// No other user has the store open.
struct SQLiteExclusiveUse {
    /// All bytes that SQLite locks, from `PENDING_BYTE` to the end of the `SHARED_SIZE` bytes
    /// (os_unix.c).
    private static let lockedBytes = (start: 0x4000_0000, count: 512)
    private static let otherProcess = "another process"

    /// The `fcntl` command that takes the lock. On Linux the lock belongs to the descriptor, so it
    /// remains if the body opens and closes the file. Locks that belong to the process end when any
    /// of its descriptors for the file is closed.
    #if os(Linux)
    // `F_OFD_SETLK` of asm-generic/fcntl.h, which Swift's Glibc module does not export.
    private static let setLock: Int32 = 37
    #else
    private static let setLock = F_SETLK
    #endif

    let files: SQLiteFiles

    /// Copies the log into the file, then runs the body while SQLite's locks exclude all other
    /// users.
    ///
    /// - Throws: `.locked`, `.notFound`, `.unsupported` if the log next to the file was written for
    ///   another file, `.fileFailure`, and the errors of the body.
    func run<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let entry = try reserve()
        var descriptor: Int32?
        // Until the descriptor is closed, the file must be reserved, because closing would release locks of
        // SQLite in this process. While the file is reserved, the descriptor must be open: if the body
        // removes the file, another file must not get its number.
        defer { OpenFileRegistry.shared.leave(entry) { descriptor.map(closeUnlocking) } }
        let lock = try writerLock()
        defer { withExtendedLifetime(lock) {} }
        try LogRecord(files: files).requireLog(of: entry.identity)
        try checkpointLog()
        descriptor = try lockFile()
        SQLiteCreation.removeLeftovers(of: files)
        return try body()
    }

    /// Runs the body in a transaction, on a connection that excludes all other users.
    ///
    /// If the process is killed at any moment, SQLite afterwards finds either the whole transaction
    /// or nothing of it.
    ///
    /// - Parameter body: Returns `nil` to roll the transaction back.
    /// - Throws: `.locked`, `.notFound`, `.readOnly`, `.hardLinked`, `.unsupported` if the log next
    ///   to the file was written for another file, `.corrupt`, `.fileFailure`, `.engineFailure`,
    ///   and the errors of the body.
    func runTransaction<Result>(
        _ body: (SQLiteConnection) throws(StoreError) -> Result?
    ) throws(StoreError) -> Result? {
        let entry = try reserve()
        defer { OpenFileRegistry.shared.leave(entry) }
        guard let lock = try writerLock() else { throw .readOnly(files.location) }
        defer { withExtendedLifetime(lock) {} }
        SQLiteCreation.removeLeftovers(of: files)
        try OpenedFile(at: files.path, entry.identity).requireOnlyName(of: files.location)
        try LogRecord(files: files).requireLog(of: entry.identity)
        let connection = try connect()
        let result: Result?
        do {
            if let log = try? FileIdentity(at: files.journal) {
                LogRecord(files: files).note(log: log, of: entry.identity, in: lock)
            }
            result = try body(connection)
            try connection.execute(result == nil ? "ROLLBACK" : "COMMIT")
        } catch {
            _ = connection.endRead()
            try? connection.enableCleanupOnClose()
            throw error
        }
        // If this fails, the commit remains in the log, and the next user of the store copies it.
        try? connection.statement("PRAGMA wal_checkpoint(TRUNCATE)").run()
        try? connection.enableCleanupOnClose()
        return result
    }

    /// Opens a connection and begins a transaction that excludes all other readers and writers.
    private func connect() throws(StoreError) -> SQLiteConnection {
        try files.requireLogs(mayWrite: true)
        do throws(StoreError) {
            let connection = try SQLiteConnection(
                path: files.path, mode: .readWrite, location: files.location, busyTimeout: .zero)
            guard !connection.isReadOnly else { throw .readOnly(files.location) }
            try connection.execute(
                "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE")
            return connection
        } catch .busy {
            throw .locked(files.location, holder: Self.otherProcess)
        }
    }

    private func reserve() throws(StoreError) -> OpenFileRegistry.Entry {
        let entry: OpenFileRegistry.Entry?
        do {
            entry = try OpenFileRegistry.shared.reserve(files.path)
        } catch {
            throw error.code == ENOENT ? .notFound(files.location) : .fileFailure(error)
        }
        guard let entry else { throw .locked(files.location, holder: "this process") }
        return entry
    }

    /// Takes the writer lock. Returns `nil` if the folder or the medium is read-only, because then
    /// no process can write.
    private func writerLock() throws(StoreError) -> WriterLock? {
        do {
            return try WriterLock(of: files, timeout: .zero)
        } catch .readOnly {
            return nil
        } catch .busy {
            throw .locked(files.location, holder: Self.otherProcess)
        }
    }

    /// Copies the log into the main file, and leaves the store without log or journal.
    ///
    /// A file that SQLite cannot read is left unchanged.
    ///
    /// - Throws: `.locked`; `.fileFailure` if a log cannot be opened or is a symbolic link.
    private func checkpointLog() throws(StoreError) {
        try files.requireLogs(mayWrite: true)
        guard access(files.path, W_OK) == 0, access(files.folder, W_OK) == 0 else { return }
        do {
            let connection = try SQLiteConnection(
                path: files.path, mode: .readWrite, location: files.location, busyTimeout: .zero)
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
            try connection.statement("PRAGMA wal_checkpoint(TRUNCATE)").run()
            try connection.enableCleanupOnClose()
        } catch .busy {
            throw .locked(files.location, holder: Self.otherProcess)
        } catch {
            // Reading the store will report what is wrong with it.
        }
    }

    /// Opens the file and locks all bytes that SQLite locks.
    ///
    /// - Throws: `.locked` or `.fileFailure`.
    private func lockFile() throws(StoreError) -> Int32 {
        let isWritable = access(files.path, W_OK) == 0
        let descriptor: Int32
        do {
            descriptor = try PosixFile.open(files.path, isWritable ? O_RDWR : O_RDONLY)
        } catch {
            throw .fileFailure(error)
        }
        // A file that this process may not write is not locked. Nothing checks that no other
        // process
        // writes to it meanwhile.
        guard isWritable else { return descriptor }
        var range = Self.range(F_WRLCK)
        guard fcntl(descriptor, Self.setLock, &range) == 0 else {
            let code = errno
            close(descriptor)
            if code == EAGAIN || code == EACCES {
                throw .locked(files.location, holder: Self.otherProcess)
            }
            throw .fileFailure(FileFailure(operation: "fcntl", path: files.path, code: code))
        }
        return descriptor
    }

    private static func range(_ kind: Int32) -> flock {
        var range = flock()
        range.l_type = Int16(kind)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(lockedBytes.start)
        range.l_len = off_t(lockedBytes.count)
        return range
    }

    /// Releases the lock and closes the descriptor. A child that was forked without `exec` has a copy
    /// of the descriptor, so closing alone would not release a lock that belongs to the descriptor.
    private func closeUnlocking(_ descriptor: Int32) {
        var range = Self.range(F_UNLCK)
        _ = fcntl(descriptor, Self.setLock, &range)
        close(descriptor)
    }
}

extension SQLiteStore: CompactingStore {
    /// Lets SQLite write all tables and indexes in order.
    ///
    /// - Throws: The errors of ``CairnStore/CompactingStore/writeCompactCopy(at:of:)``.
    package static func writeCompactCopy(
        at copy: StoreLocation, of location: StoreLocation
    ) throws(StoreError) {
        guard let target = copy.fileURL else { return }
        // The connection takes no locks, because the caller's locks exclude it, too.
        let connection = try SQLiteConnection(
            path: try SQLiteFiles(location).path, mode: .immutable, location: location,
            readsRows: false)
        let vacuum = try connection.statement("VACUUM INTO ?")
        try vacuum.bind(target.path, at: 1)
        try vacuum.run()
    }
}
