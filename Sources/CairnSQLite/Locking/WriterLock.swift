import CairnFiles
import CairnStore
import CairnThreads
import Foundation

/// The lock that whoever saves or checkpoints holds, among threads and processes.
///
/// A lock on a file of its own, which ends with the process. SQLite's own locks are not enough:
/// versions before 3.51.3 can damage a database when two connections save and checkpoint at once.
/// Threads of one process get the lock in the order in which they asked for it.
final class WriterLock: Sendable {
    private let descriptor: Int32
    private let path: String
    /// Taken before the lock file's lock; nil: there is no line.
    private let line: FairLock?

    /// Waits for the lock and takes it.
    ///
    /// - Parameters:
    ///   - line: of those in this process who want the lock; nil: there is none yet, because the file
    ///     is not open.
    ///   - timeout: how long to wait, in the line and for other processes.
    /// - Throws: `.busy`, `.cancelled`, `.readOnly`, `.fileFailure`.
    init(of files: StoreFiles, line: FairLock?, timeout: Duration) throws(StoreError) {
        let deadline = ContinuousClock.now + timeout
        if let line {
            try line.take(until: deadline).requireTaken(files.location, waited: timeout)
        }
        do throws(StoreError) {
            descriptor = try Self.lock(files, until: deadline, timeout)
        } catch {
            line?.give()
            throw error
        }
        path = files.lock
        self.line = line
    }

    /// Returns the descriptor that has the lock of the lock file.
    private static func lock(
        _ files: StoreFiles, until deadline: ContinuousClock.Instant, _ timeout: Duration
    ) throws(StoreError) -> Int32 {
        let descriptor: Int32
        do throws(FileFailure) {
            descriptor = try PosixFile.open(files.lock, O_RDWR | O_CREAT)
        } catch {
            guard [EACCES, EROFS, EPERM].contains(error.code) else { throw .fileFailure(error) }
            throw .readOnly(files.location)
        }
        do throws(StoreError) {
            let outcome = try LockPolling.take(until: deadline) { () throws(StoreError) in
                if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
                guard errno == EWOULDBLOCK || errno == EINTR else {
                    throw .fileFailure(PosixFile.failure("flock", files.lock))
                }
                return false
            }
            try outcome.requireTaken(files.location, waited: timeout)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    deinit {
        close(descriptor)
        line?.give()
    }

    /// The lock file itself.
    ///
    /// - Throws: the failure of `fstat`.
    func identity() throws(FileFailure) -> FileIdentity {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw PosixFile.failure("fstat", path) }
        return FileIdentity(status)
    }

    /// Replaces the content of the lock file. The content is not made durable.
    ///
    /// - Throws: the failure of the write; the file then holds part of the text.
    func write(_ text: String) throws(FileFailure) {
        let bytes = Array(text.utf8)
        guard ftruncate(descriptor, 0) == 0,
            pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        else { throw PosixFile.failure("write", path) }
    }
}
