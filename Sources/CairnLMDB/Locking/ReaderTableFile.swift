import CairnFiles
import CairnStore
import Foundation

/// LMDB's lock file, beside the data file: the table of readers of all processes.
struct ReaderTableFile {
    let path: String
    private let dataPath: String

    init(ofFileAt dataPath: String) {
        self.dataPath = dataPath
        path = dataPath + "-lock"
    }

    /// A reader's entry in the table (mdb.c, `MDB_reader`, padded to a line of the cache).
    private static let entryByteCount = 64
    /// What stands before the entries (mdb.c, `MDB_txninfo`), rounded up.
    private static let headByteCount = 1024

    /// Makes the file ready for LMDB to map: makes it if it is missing, with the owner and the
    /// permissions of the data file, and takes the room on the disk that it needs. (LMDB leaves
    /// the file with holes; on a full disk, touching one ends the process.)
    ///
    /// Returns `false` if this process may not write the file.
    ///
    /// - Precondition: this process does not have the lock file open: closing a descriptor drops
    ///   all of the process's locks on it.
    /// - Throws: `.fileFailure`.
    func prepare(readerCount: Int) throws(StoreError) -> Bool {
        do throws(FileFailure) {
            let isNew = access(path, F_OK) != 0
            let descriptor = try PosixFile.open(path, O_RDWR | O_CREAT)
            defer { close(descriptor) }
            var status = stat()
            if isNew, stat(dataPath, &status) == 0 {
                // Without them, a lock file of one user's keeps others out who may write the data.
                _ = fchown(descriptor, status.st_uid, status.st_gid)
                _ = fchmod(descriptor, status.st_mode & 0o666)
            }
            guard fstat(descriptor, &status) == 0 else { throw PosixFile.failure("stat", path) }
            let wanted = max(
                Self.headByteCount + readerCount * Self.entryByteCount, Int(status.st_size))
            // A file that has its room stays usable on a disk that takes no more writes. (Blocks of
            // 512 bytes, whatever those of the file system are: stat(2).)
            if Int(status.st_blocks) * 512 < wanted {
                try FreeSpace.reserve(wanted, at: 0, descriptor, path)
            }
            return true
        } catch {
            if error.meansReadOnly { return false }
            throw .fileFailure(error)
        }
    }
}
