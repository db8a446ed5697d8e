import CairnFiles
import CairnStore
import Foundation

/// The lock that whoever saves or checkpoints holds, among threads and processes.
///
/// A lock on a file of its own, which ends with the process. SQLite's own locks are not enough:
/// versions before 3.51.3 can damage a database when two connections save and checkpoint at once.
final class WriterLock: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Waits for the lock and takes it.
    ///
    /// - Throws: `.busy`, `.readOnly`, `.fileFailure`.
    init(of files: StoreFiles, timeout: Duration) throws(StoreError) {
        path = files.lock
        do throws(FileFailure) {
            descriptor = try PosixFile.open(files.lock, O_RDWR | O_CREAT)
        } catch {
            guard [EACCES, EROFS, EPERM].contains(error.code) else { throw .fileFailure(error) }
            throw .readOnly(files.location)
        }
        let clock = ContinuousClock()
        let deadline = clock.now + timeout
        var pause: UInt32 = 100
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                let failure = PosixFile.failure("flock", files.lock)
                close(descriptor)
                throw .fileFailure(failure)
            }
            guard clock.now < deadline else {
                close(descriptor)
                throw .busy(files.location, waited: timeout)
            }
            usleep(pause)
            // 0.1 ms at first, for short saves; 5 ms at most, so that waiting costs little.
            pause = min(pause * 2, 5000)
        }
    }

    deinit { close(descriptor) }

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
