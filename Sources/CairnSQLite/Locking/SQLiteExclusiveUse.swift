import CairnFiles
import CairnStore
import Foundation

/// The time during which a store's files are moved, replaced or removed: nobody has it open.
struct SQLiteExclusiveUse {
    /// os_unix.c: `PENDING_BYTE` to the end of the `SHARED_SIZE` bytes, all that SQLite locks.
    private static let lockedBytes = (start: 0x4000_0000, count: 512)
    private static let otherProcess = "another process"

    /// On Linux the lock belongs to the descriptor, so that it stays if the body opens and closes the
    /// file: the locks of a process end when any of its descriptors of the file is closed.
    #if os(Linux)
    // `F_OFD_SETLK` of asm-generic/fcntl.h, which Swift's Glibc does not show.
    private static let setLock: Int32 = 37
    #else
    private static let setLock = F_SETLK
    #endif

    let files: SQLiteFiles

    /// Brings the log over, then runs the body while SQLite's locks keep everybody out.
    ///
    /// - Throws: `.locked`, `.notFound`, `.unsupported` if the log beside the file was written for
    ///   another file, `.fileFailure`; what the body throws.
    func run<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let entry = try reserve()
        defer { OpenFileRegistry.shared.leave(entry) }
        let lock = try writerLock()
        defer { withExtendedLifetime(lock) {} }
        try LogRecord(files: files).requireLog(of: entry.identity)
        try bringOver()
        let descriptor = try lockFile()
        // SQLite in this process has no locks on the file that this could end: it is reserved.
        defer { close(descriptor) }
        SQLiteCreation.removeLeftovers(of: files)
        return try body()
    }

    /// Runs the body in a transaction on a connection that keeps everybody else out.
    ///
    /// The process may be killed at any moment: SQLite then finds all of the transaction or nothing.
    ///
    /// - Parameter body: returns `nil` if the transaction is to be rolled back.
    /// - Throws: `.locked`, `.notFound`, `.readOnly`, `.hardLinked`, `.unsupported` if the log beside
    ///   the file was written for another file, `.corrupt`, `.fileFailure`, `.engineFailure`; what the
    ///   body throws.
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
        do throws(StoreError) {
            if let log = try? FileIdentity(at: files.journal) {
                LogRecord(files: files).note(log: log, of: entry.identity, in: lock)
            }
            result = try body(connection)
            try connection.execute(result == nil ? "ROLLBACK" : "COMMIT")
        } catch {
            _ = connection.endRead()
            try? connection.tidiesOnClose()
            throw error
        }
        // What is committed is in the log, from where whoever opens the store next brings it over.
        try? connection.statement("PRAGMA wal_checkpoint(TRUNCATE)").run()
        try? connection.tidiesOnClose()
        return result
    }

    /// Opens a connection and begins a transaction in which nobody else reads or writes.
    private func connect() throws(StoreError) -> SQLiteConnection {
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
        do throws(FileFailure) {
            entry = try OpenFileRegistry.shared.reserve(files.path)
        } catch {
            throw error.code == ENOENT ? .notFound(files.location) : .fileFailure(error)
        }
        guard let entry else { throw .locked(files.location, holder: "this process") }
        return entry
    }

    /// `nil` if the lock cannot be made, because folder or medium is read-only: nobody writes then.
    private func writerLock() throws(StoreError) -> WriterLock? {
        do throws(StoreError) {
            return try WriterLock(of: files, timeout: .zero)
        } catch .readOnly {
            return nil
        } catch .busy {
            throw .locked(files.location, holder: Self.otherProcess)
        }
    }

    /// Leaves the store in its main file, without log or journal.
    ///
    /// - Throws: `.locked`. A file that SQLite cannot read is left as it is.
    private func bringOver() throws(StoreError) {
        guard access(files.path, W_OK) == 0, access(files.folder, W_OK) == 0 else { return }
        do throws(StoreError) {
            let connection = try SQLiteConnection(
                path: files.path, mode: .readWrite, location: files.location, busyTimeout: .zero)
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
            try connection.statement("PRAGMA wal_checkpoint(TRUNCATE)").run()
            try connection.tidiesOnClose()
        } catch .busy {
            throw .locked(files.location, holder: Self.otherProcess)
        } catch {
            // Readers of the store are told what is wrong with it.
        }
    }

    /// - Throws: `.locked`, `.fileFailure`.
    private func lockFile() throws(StoreError) -> Int32 {
        let isWritable = access(files.path, W_OK) == 0
        let descriptor: Int32
        do throws(FileFailure) {
            descriptor = try PosixFile.open(files.path, isWritable ? O_RDWR : O_RDONLY)
        } catch {
            throw .fileFailure(error)
        }
        // A file that this process may not write is not locked, and not moved while others write.
        guard isWritable else { return descriptor }
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(Self.lockedBytes.start)
        range.l_len = off_t(Self.lockedBytes.count)
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
}
