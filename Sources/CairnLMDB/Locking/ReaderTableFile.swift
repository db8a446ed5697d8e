import CairnFiles
import CairnStore
import Foundation

/// LMDB's lock file next to the data file: a table of the readers of all processes.
struct ReaderTableFile {
    let path: String
    private let dataPath: String

    init(ofFileAt dataPath: String) {
        self.dataPath = dataPath
        path = dataPath + "-lock"
    }

    /// The size of a reader's entry in the table (mdb.c, `MDB_reader`, padded to a cache line).
    private static let entryByteCount = 64
    /// The size of the header before the entries (mdb.c, `MDB_txninfo`), rounded up.
    private static let headByteCount = 1024

    /// Checks that this process may write the file, if it exists.
    ///
    /// - Throws: `.fileFailure`, which names the file; `.readOnly` if this process may not write the
    ///   data file either.
    func requireWritable(at location: StoreLocation) throws(StoreError) {
        guard access(path, W_OK) != 0, errno != ENOENT else { return }
        throw .writing(PosixFile.failure("open", path), at: location)
    }

    /// Prepares the file, so that LMDB can map it.
    ///
    /// Creates a missing file with the owner and permissions of the data file, and reserves the
    /// disk space that the file needs. (LMDB leaves the file with holes. On a full disk, access to
    /// a hole ends the process.)
    ///
    /// A symbolic link is refused, and so is a file that has another name, which would be overwritten.
    /// LMDB opens the file again by its name, and would follow a link. Therefore call this directly
    /// before.
    ///
    /// Returns `false` if this process may not write the file.
    ///
    /// - Precondition: This process does not have the lock file open, because closing any
    ///   descriptor of it releases all of the process's locks on it.
    func prepare(readerCount: Int) throws(StoreError) -> Bool {
        do throws(FileFailure) {
            let (descriptor, _) = try PosixFile.openOrCreateCompanion(path, of: dataPath)
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw PosixFile.failure("stat", path) }
            try PosixFile.requireOnlyName(status, path)
            let wanted = max(
                Self.headByteCount + readerCount * Self.entryByteCount, Int(status.st_size))
            // A file with reserved space stays usable on a full disk. (`st_blocks` counts units of
            // 512
            // bytes, independent of the file system's block size; see stat(2).)
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
