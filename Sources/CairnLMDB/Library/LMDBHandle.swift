import CairnCLMDB
import CairnFiles
import CairnStore
import Foundation

/// LMDB's environment handle, with the calls that need no transaction.
///
/// ``LMDBEnvironment`` makes sure that a closed handle is never used.
struct LMDBHandle {
    let pointer: OpaquePointer

    /// Opens or creates a file.
    init(
        opening path: String, _ location: StoreLocation, _ settings: LMDBEnvironment.Settings,
        isReadOnly: Bool, usesLockFile: Bool
    ) throws(StoreError) {
        var pointer: OpaquePointer?
        var code = mdb_env_create(&pointer)
        guard code == MDB_SUCCESS, let pointer else {
            throw LMDBFailure(code: code, operation: "create").storeError(at: location)
        }
        mdb_env_set_mapsize(pointer, settings.mapByteCount)
        mdb_env_set_maxreaders(pointer, UInt32(clamping: settings.readerCount))
        mdb_env_set_maxdbs(pointer, UInt32(clamping: settings.tableCount))
        var flags = UInt32(MDB_NOSUBDIR | MDB_NOTLS)
        if isReadOnly { flags |= UInt32(MDB_RDONLY) }
        if !usesLockFile { flags |= UInt32(MDB_NOLOCK) }
        code = mdb_env_open(pointer, path, flags, 0o600)
        guard code == MDB_SUCCESS else {
            mdb_env_close(pointer)
            throw LMDBFailure(code: code, operation: "open").storeError(at: location)
        }
        self.pointer = pointer
    }

    func close() { mdb_env_close(pointer) }

    /// LMDB's information about the environment. Reads from the map.
    var info: MDB_envinfo {
        var info = MDB_envinfo()
        mdb_env_info(pointer, &info)
        return info
    }

    /// The number of the newest transaction in the data file.
    var lastTransaction: UInt64 { UInt64(truncatingIfNeeded: info.me_last_txnid) }

    /// The number of entries in the table of tables, in the newest state.
    var tableCount: Int {
        var status = MDB_stat()
        mdb_env_stat(pointer, &status)
        return status.ms_entries
    }

    /// Frees the reader slots of processes that were killed, and returns the number of these slots.
    @discardableResult func checkReaders() -> Int {
        var dead: Int32 = 0
        mdb_reader_check(pointer, &dead)
        return Int(dead)
    }

    // MARK: The file

    /// Returns the identity of the open file.
    func identity(ofFileAt path: String) throws(StoreError) -> FileIdentity {
        guard let (_, status) = openFile() else {
            throw .fileFailure(FileFailure(operation: "fstat", path: path, code: errno))
        }
        return FileIdentity(status)
    }

    /// The length of the file's pages.
    var usedByteCount: Int {
        var status = MDB_stat()
        mdb_env_stat(pointer, &status)
        return (info.me_last_pgno + 1) * Int(status.ms_psize)
    }

    /// Enlarges the file to the length of its pages, after a commit.
    ///
    /// LMDB does not write pages that a save took and freed again. If these are at the end of the
    /// file, it would look truncated.
    ///
    /// - Parameter known: A lower bound of the file's size. The system is asked for the size only
    ///   if the pages need more.
    /// - Returns: The new lower bound of the file's size.
    func extendFile(from known: Int) -> Int {
        let needed = usedByteCount
        guard needed > known, let (descriptor, file) = openFile() else { return known }
        if Int(file.st_size) >= needed { return Int(file.st_size) }
        // If this fails, the check at the next opening finds the missing pages among the free ones.
        return ftruncate(descriptor, off_t(needed)) == 0 ? needed : known
    }

    /// Returns the reason why the system wrote less than requested. LMDB reports every such write
    /// as `EIO`, whether the disk is full or damaged.
    func reasonForShortWrite() -> Int32 {
        guard let (descriptor, file) = openFile() else { return EIO }
        do {
            // Try to reserve one more page, because the failed write needed at least as much.
            try FreeSpace.reserve(4096, at: Int(file.st_size), descriptor, "")
            return EIO
        } catch {
            return error.code
        }
    }

    /// Returns LMDB's descriptor of the file, and the file's status.
    private func openFile() -> (descriptor: Int32, status: stat)? {
        var descriptor: mdb_filehandle_t = -1
        var status = stat()
        guard mdb_env_get_fd(pointer, &descriptor) == MDB_SUCCESS, fstat(descriptor, &status) == 0
        else { return nil }
        return (descriptor, status)
    }
}
