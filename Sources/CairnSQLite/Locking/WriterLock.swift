import CairnFiles
import CairnStore
import Foundation
import Synchronization

/// The lock that whoever saves or checkpoints holds, among threads and processes.
///
/// A lock on a file of its own, which ends with the process. SQLite's own locks are not enough:
/// versions before 3.51.3 can damage a database when two connections save and checkpoint at once.
final class WriterLock: Sendable {
    private let file: LockFile
    private let idleFile: IdleLockFile?

    /// Waits for the lock and takes it.
    ///
    /// - Parameter idleFile: keeps the lock file open from one save to the next.
    /// - Throws: `.busy`, `.readOnly`, `.fileFailure`.
    init(
        of files: StoreFiles, timeout: Duration, keptOpenBy idleFile: IdleLockFile? = nil
    ) throws(StoreError) {
        self.idleFile = idleFile
        var file = if let idle = idleFile?.take() { idle } else { try LockFile(files) }
        try file.lock(of: files, timeout: timeout)
        // Nobody should remove the lock file, but some do: others then lock the one of that name.
        while !file.hasItsName {
            file = try LockFile(files)
            try file.lock(of: files, timeout: timeout)
        }
        self.file = file
    }

    deinit {
        guard let idleFile else { return }
        file.unlock()
        idleFile.keep(file)
    }

    /// The lock file itself.
    var identity: FileIdentity { file.opened.identity }

    /// Replaces the content of the lock file. The content is not made durable.
    ///
    /// - Throws: the failure of the write; the file then holds part of the text.
    func write(_ text: String) throws(FileFailure) { try file.write(text) }
}

/// A store's lock file while no save has it: opening it anew takes longer than locking it.
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
    /// - Throws: `.busy`, `.fileFailure`.
    func lock(of files: StoreFiles, timeout: Duration) throws(StoreError) {
        var deadline: ContinuousClock.Instant?
        var pause: UInt32 = 100
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw .fileFailure(PosixFile.failure("flock", opened.path))
            }
            let now = ContinuousClock.now
            let end = deadline ?? now + timeout
            guard now < end else { throw .busy(files.location, waited: timeout) }
            deadline = end
            usleep(pause)
            // 0.1 ms at first, for short saves; 5 ms at most, so that waiting costs little.
            pause = min(pause * 2, 5000)
        }
    }

    func unlock() { flock(descriptor, LOCK_UN) }

    /// Whether the name of lock files still leads to this one. An unreadable folder does not tell.
    var hasItsName: Bool {
        guard let name = try? opened.name() else { return true }
        if case .theFile = name { return true }
        return false
    }

    func write(_ text: String) throws(FileFailure) {
        let bytes = Array(text.utf8)
        guard ftruncate(descriptor, 0) == 0,
            pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        else { throw PosixFile.failure("write", opened.path) }
    }
}
