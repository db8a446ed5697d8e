import CairnFiles
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// The lock that a save or a checkpoint holds, among threads and processes.
///
/// The lock is on a file of its own and ends with the process. SQLite's own locks are not enough:
/// versions before 3.51.3 can damage a database when two connections save and checkpoint at the
/// same time. Threads of one process get the lock in the order in which they requested it.
final class WriterLock: Sendable {
    private let file: WriterLockFile
    private let idleFile: IdleLockFile?
    /// The queue of this process, which is passed before the lock file is locked. `nil` if there is
    /// no queue.
    private let line: FairLock?
    /// The time at which the holder stops waiting for SQLite's own locks, too.
    let deadline: ContinuousClock.Instant

    /// Waits for the lock and takes it.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait, in the queue, for other processes and for programs that hold
    ///     only SQLite's locks, together.
    ///   - end: The time at which to stop waiting, if an operation waits several times. If `nil`,
    ///     the timeout and the deadline of the running operation decide.
    ///   - line: The queue of the savers in this process. `nil` if the file is not open yet, so
    ///     that there is no queue.
    ///   - idleFile: Keeps the lock file open from one save to the next.
    /// - Throws: `.busy`, `.cancelled`, `.readOnly` or `.fileFailure`.
    init(
        of files: SQLiteFiles, timeout: Duration, until end: ContinuousClock.Instant? = nil,
        behind line: FairLock? = nil, keptOpenBy idleFile: IdleLockFile? = nil
    ) throws(StoreError) {
        try StoreDeadline.check()
        let deadline = end ?? StoreDeadline.limiting(.now + timeout)
        try line?.take(until: deadline).requireTaken(files.location, waited: timeout)
        do {
            var file = if let idle = idleFile?.take() { idle } else { try WriterLockFile(files) }
            try file.lock(of: files, until: deadline, timeout)
            // The lock file should never be removed. If it was removed nevertheless, other
            // processes lock
            // the file that has its name now, so this loop locks that one too.
            while !file.hasItsName {
                file = try WriterLockFile(files)
                try file.lock(of: files, until: deadline, timeout)
            }
            self.file = file
        } catch {
            line?.release()
            throw error
        }
        self.idleFile = idleFile
        self.line = line
        self.deadline = deadline
    }

    /// Waits in the session's queue and takes the lock. The session keeps the lock file open.
    ///
    /// - Throws: `.busy`, `.cancelled`, `.readOnly` or `.fileFailure`.
    convenience init(
        of session: FileSession, timeout: Duration, until end: ContinuousClock.Instant? = nil
    ) throws(StoreError) {
        try self.init(
            of: session.files, timeout: timeout, until: end, behind: session.saverLock,
            keptOpenBy: session.idleLockFile)
    }

    deinit {
        file.unlock()
        idleFile?.keep(file)
        line?.release()
    }

    /// The identity of the lock file.
    var identity: FileIdentity { file.opened.identity }

    /// Replaces the content of the lock file. The content is not made durable.
    ///
    /// - Throws: The failure of the write. The file may then contain only a part of the text.
    func write(_ text: String) throws(FileFailure) { try file.write(text) }
}

/// A descriptor of a store's lock file. The lock is released with this object.
final class WriterLockFile: Sendable {
    let opened: OpenedFile
    private let descriptor: Int32

    /// - Throws: `.readOnly` or `.fileFailure`.
    init(_ files: SQLiteFiles) throws(StoreError) {
        do throws(FileFailure) {
            (descriptor, _) = try PosixFile.openOrCreateCompanion(files.lock, of: files.path)
            var status = stat()
            guard fstat(descriptor, &status) == 0 else {
                let failure = PosixFile.failure("fstat", files.lock)
                close(descriptor)
                throw failure
            }
            opened = OpenedFile(at: files.lock, FileIdentity(status))
        } catch {
            throw .writing(error, at: files.location)
        }
    }

    deinit { PosixFile.closeUnlocking(descriptor) }

    /// Waits for the lock and takes it.
    ///
    /// - Throws: `.busy`, `.cancelled` or `.fileFailure`.
    func lock(
        of files: SQLiteFiles, until deadline: ContinuousClock.Instant, _ timeout: Duration
    ) throws(StoreError) {
        try LockPolling.take(until: deadline) { () throws(StoreError) in
            do throws(FileFailure) {
                return try PosixFile.lock(descriptor, opened.path)
            } catch {
                throw .fileFailure(error)
            }
        }.requireTaken(files.location, waited: timeout)
    }

    func unlock() { PosixFile.unlock(descriptor) }

    /// Whether the lock file's name still leads to this file. Returns `true` if the folder cannot
    /// be read.
    var hasItsName: Bool {
        guard let name = try? opened.name() else { return true }
        if case .theFile = name { return true }
        return false
    }

    /// Makes `text` the only content of the file.
    func write(_ text: String) throws(FileFailure) {
        let bytes = Array(text.utf8)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw PosixFile.failure("fstat", opened.path) }
        try PosixFile.requireOnlyName(status, opened.path)
        // Truncating the file costs a tenth of opening it, so the new text, which covers the old
        // text, is written over it.
        if status.st_size > bytes.count, ftruncate(descriptor, 0) != 0 {
            throw PosixFile.failure("ftruncate", opened.path)
        }
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
            throw PosixFile.failure("write", opened.path)
        }
    }
}

/// Keeps a store's lock file open while no save uses it, because opening the file takes longer than
/// locking it.
///
/// When several threads save at the same time, each opens its own descriptor, because a lock only
/// excludes other descriptors.
final class IdleLockFile: Sendable {
    private let file = Mutex<WriterLockFile?>(nil)

    func take() -> WriterLockFile? {
        file.withLock { file in
            defer { file = nil }
            return file
        }
    }

    func keep(_ unlocked: WriterLockFile) { file.withLock { $0 = unlocked } }
}
