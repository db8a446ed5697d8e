import CairnCLMDB
import CairnFiles
import CairnStore
import Foundation

/// LMDB's own environment: what is asked of it outside of transactions.
///
/// ``LMDBEnvironment`` makes sure that nobody uses a closed one.
struct LMDBHandle {
    let pointer: OpaquePointer

    /// Opens a file, or makes one.
    ///
    /// - Throws: `.notAStore`, `.readOnly`, `.engineFailure`.
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

    /// Looks into the map.
    var info: MDB_envinfo {
        var info = MDB_envinfo()
        mdb_env_info(pointer, &info)
        return info
    }

    /// The number of the newest transaction that the data file has.
    var lastTransaction: UInt64 { UInt64(truncatingIfNeeded: info.me_last_txnid) }

    /// How many entries the table of tables has in the newest state.
    var tableCount: Int {
        var status = MDB_stat()
        mdb_env_stat(pointer, &status)
        return status.ms_entries
    }

    /// Frees the reader slots of processes that were killed. Returns how many slots those were.
    @discardableResult func checkReaders() -> Int {
        var dead: Int32 = 0
        mdb_reader_check(pointer, &dead)
        return Int(dead)
    }

    // MARK: The file

    /// Which file is open.
    ///
    /// - Throws: `.fileFailure`.
    func identity(ofFileAt path: String) throws(StoreError) -> FileIdentity {
        guard let (_, status) = openFile() else {
            throw .fileFailure(FileFailure(operation: "fstat", path: path, code: errno))
        }
        return FileIdentity(status)
    }

    /// Makes the file as long as its pages, after a commit.
    ///
    /// LMDB does not write pages that a save took and gave back; at the end of the file they would
    /// make it look truncated.
    ///
    /// - Parameter known: how many bytes the file has at least. The system is asked only if its
    ///   pages need more.
    /// - Returns: how many bytes the file has at least now.
    func extendFile(from known: Int) -> Int {
        var status = MDB_stat()
        mdb_env_stat(pointer, &status)
        let needed = (info.me_last_pgno + 1) * Int(status.ms_psize)
        guard needed > known, let (descriptor, file) = openFile() else { return known }
        if Int(file.st_size) >= needed { return Int(file.st_size) }
        // Where that fails, the check at the next open finds the pages among the free ones.
        return ftruncate(descriptor, off_t(needed)) == 0 ? needed : known
    }

    /// Returns why the system wrote less than it was asked to: LMDB reports every such write as
    /// `EIO`, whether a disk is full or damaged.
    func reasonForShortWrite() -> Int32 {
        guard let (descriptor, file) = openFile() else { return EIO }
        do throws(FileFailure) {
            // One more page: the write that failed wanted at least as much.
            try FreeSpace.reserve(4096, at: Int(file.st_size), descriptor, "")
            return EIO
        } catch {
            return error.code
        }
    }

    /// LMDB's descriptor of the file, and what the system says of it.
    private func openFile() -> (descriptor: Int32, status: stat)? {
        var descriptor: mdb_filehandle_t = -1
        var status = stat()
        guard mdb_env_get_fd(pointer, &descriptor) == MDB_SUCCESS, fstat(descriptor, &status) == 0
        else { return nil }
        return (descriptor, status)
    }
}
