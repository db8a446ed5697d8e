import CairnFiles
import CairnStore
import CairnThreads
import Foundation

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
