import CairnFiles
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// The lock that whoever saves or checkpoints holds, among threads and processes.
///
/// A lock on a file of its own, which ends with the process. SQLite's own locks are not enough:
/// versions before 3.51.3 can damage a database when two connections save and checkpoint at once.
/// Threads of one process get the lock in the order in which they asked for it.
final class WriterLock: Sendable {
    private let file: LockFile
    private let idleFile: IdleLockFile?
    /// Taken before the lock file's lock. `nil` if there is no line.
    private let line: FairLock?

    /// Waits for the lock and takes it.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait, in the line and for other processes.
    ///   - line: of the savers in this process that want the lock. `nil` if there is none yet, because
    ///     the file is not open.
    ///   - idleFile: keeps the lock file open from one save to the next.
    /// - Throws: `.busy`, `.cancelled`, `.readOnly`, `.fileFailure`.
    init(
        of files: StoreFiles, timeout: Duration, behind line: FairLock? = nil,
        keptOpenBy idleFile: IdleLockFile? = nil
    ) throws(StoreError) {
        try StoreDeadline.check()
        let deadline = StoreDeadline.limiting(.now + timeout)
        try line?.take(until: deadline).requireTaken(files.location, waited: timeout)
        do throws(StoreError) {
            var file = if let idle = idleFile?.take() { idle } else { try LockFile(files) }
            try file.lock(of: files, until: deadline, timeout)
            // Nobody should remove the lock file, but some do: others then lock the one of that name.
            while !file.hasItsName {
                file = try LockFile(files)
                try file.lock(of: files, until: deadline, timeout)
            }
            self.file = file
        } catch {
            line?.give()
            throw error
        }
        self.idleFile = idleFile
        self.line = line
    }

    /// Waits in the line of the session, whose lock file stays open.
    ///
    /// - Throws: `.busy`, `.cancelled`, `.readOnly`, `.fileFailure`.
    convenience init(of session: FileSession, timeout: Duration) throws(StoreError) {
        try self.init(
            of: session.files, timeout: timeout, behind: session.saverLine,
            keptOpenBy: session.idleLockFile)
    }

    deinit {
        file.unlock()
        idleFile?.keep(file)
        line?.give()
    }

    /// The lock file itself.
    var identity: FileIdentity { file.opened.identity }

    /// Replaces the content of the lock file. The content is not made durable.
    ///
    /// - Throws: the failure of the write; the file then holds part of the text.
    func write(_ text: String) throws(FileFailure) { try file.write(text) }
}

/// A store's lock file while no save has it: opening it again takes longer than locking it.
///
/// Saves at the same time, of other threads, open a file each: a lock excludes other descriptors.
final class IdleLockFile: Sendable {
    private let file = Mutex<LockFile?>(nil)

    fileprivate func take() -> LockFile? {
        file.withLock { file in
            defer { file = nil }
            return file
        }
    }

    fileprivate func keep(_ unlocked: LockFile) { file.withLock { $0 = unlocked } }
}

/// One descriptor of a store's lock file. Closing it ends its lock.
private final class LockFile: Sendable {
    let opened: OpenedFile
    private let descriptor: Int32

    /// - Throws: `.readOnly`, `.fileFailure`.
    init(_ files: StoreFiles) throws(StoreError) {
        do throws(FileFailure) {
            descriptor = try PosixFile.open(files.lock, O_RDWR | O_CREAT)
            var status = stat()
            guard fstat(descriptor, &status) == 0 else {
                let failure = PosixFile.failure("fstat", files.lock)
                close(descriptor)
                throw failure
            }
            opened = OpenedFile(at: files.lock, FileIdentity(status))
        } catch {
            guard [EACCES, EROFS, EPERM].contains(error.code) else { throw .fileFailure(error) }
            throw .readOnly(files.location)
        }
    }

    deinit { close(descriptor) }

    /// Waits for the lock and takes it.
    ///
    /// - Throws: `.busy`, `.cancelled`, `.fileFailure`.
    func lock(
        of files: StoreFiles, until deadline: ContinuousClock.Instant, _ timeout: Duration
    ) throws(StoreError) {
        try LockPolling.take(until: deadline) { () throws(StoreError) in
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw .fileFailure(PosixFile.failure("flock", opened.path))
            }
            return false
        }.requireTaken(files.location, waited: timeout)
    }

    func unlock() { flock(descriptor, LOCK_UN) }

    /// Whether the name of lock files still leads to this one. An unreadable folder does not tell.
    var hasItsName: Bool {
        guard let name = try? opened.name() else { return true }
        if case .theFile = name { return true }
        return false
    }

    /// Makes the text the file's only content.
    func write(_ text: String) throws(FileFailure) {
        let bytes = Array(text.utf8)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw PosixFile.failure("fstat", opened.path) }
        // To cut the file takes a tenth of the time of an opening: a text that covers the old one is
        // written over it.
        if status.st_size > bytes.count, ftruncate(descriptor, 0) != 0 {
            throw PosixFile.failure("ftruncate", opened.path)
        }
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
            throw PosixFile.failure("write", opened.path)
        }
    }
}
