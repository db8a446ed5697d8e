import CairnCLMDB
import CairnStore
import Foundation

/// An LMDB file that this process has open: owns LMDB's environment and closes it.
///
/// One per file and process, because closing a second one would drop the first one's locks; so
/// ``LMDBRegistry`` alone makes them. Not for use in a forked child.
final class LMDBEnvironment: @unchecked Sendable {
    // Unchecked: LMDB guards its handle; the map moves only inside `gate.move`, under which
    // `isBroken` changes too; `saveCount` and `nextKeys` belong to the holder of the write lock.

    /// What an environment is opened with; the first to open a file decides.
    struct Settings {
        /// How much of the file is mapped at first; the map grows when it is full.
        var mapByteCount: Int
        /// How many transactions of all processes may read at once.
        var readerCount: Int
        /// How many tables can be open.
        var tableCount: Int
    }

    let location: StoreLocation
    /// Whether the file or its folder does not let us write.
    let isReadOnly: Bool
    /// Many may read through the map, or one may move it.
    let gate = MapGate()
    /// Taken by every save before LMDB's own lock, which cannot be waited for with a limit.
    let writeLock: WriteLock
    /// Held while tables are opened: LMDB wants one thread at a time for that.
    let tableLock = Lock()

    private let handle: OpaquePointer
    private let process = getpid()
    private var isBroken = false
    private var saveCount = 0
    private var nextKeys: [String: Int64] = [:]

    /// Saves between two looks for readers that were killed.
    private static let savesPerReaderCheck = 256

    /// Opens a file whose pages were checked before, or makes one.
    ///
    /// - Throws: `.notAStore`, `.readOnly`, `.fileFailure`, `.engineFailure`.
    init(
        path: String, location: StoreLocation, settings: Settings, isReadOnly: Bool
    ) throws(StoreError) {
        var handle: OpaquePointer?
        var code = mdb_env_create(&handle)
        guard code == MDB_SUCCESS, let handle else {
            throw LMDBFailure(code: code, operation: "create").storeError(at: location)
        }
        mdb_env_set_mapsize(handle, settings.mapByteCount)
        mdb_env_set_maxreaders(handle, UInt32(clamping: settings.readerCount))
        mdb_env_set_maxdbs(handle, UInt32(clamping: settings.tableCount))
        code = Self.open(handle, path, isReadOnly: isReadOnly)
        guard code == MDB_SUCCESS else {
            mdb_env_close(handle)
            throw LMDBFailure(code: code, operation: "open").storeError(at: location)
        }
        do throws(StoreError) {
            writeLock = try WriteLock(path: path)
        } catch {
            mdb_env_close(handle)
            throw error
        }
        self.handle = handle
        self.location = location
        self.isReadOnly = isReadOnly
        checkReaders()
    }

    /// Closes the file.
    ///
    /// - Precondition: every transaction has ended, and nothing is called afterwards.
    func close() {
        // In a forked child this would free the parent's places in the table of readers.
        if process == getpid() { mdb_env_close(handle) }
    }

    /// Where nobody lets us make the lock file, nobody who obeys it can write there either.
    private static func open(_ handle: OpaquePointer, _ path: String, isReadOnly: Bool) -> Int32 {
        let flags = UInt32(MDB_NOSUBDIR | MDB_NOTLS) | (isReadOnly ? UInt32(MDB_RDONLY) : 0)
        let code = mdb_env_open(handle, path, flags, 0o600)
        guard isReadOnly, code == EACCES || code == EROFS else { return code }
        return mdb_env_open(handle, path, flags | UInt32(MDB_NOLOCK), 0o600)
    }

    // MARK: Transactions

    /// Begins to read the newest state.
    ///
    /// - Throws: `.busy` where all places for readers are taken; `.engineFailure`.
    func beginRead() throws(StoreError) -> LMDBTransaction {
        try begin(flags: UInt32(MDB_RDONLY))
    }

    /// Begins to write.
    ///
    /// - Precondition: the caller holds ``writeLock``.
    /// - Parameter isRelaxed: whether a power cut may undo the commit; never half of it.
    /// - Throws: `.engineFailure`.
    func beginWrite(isRelaxed: Bool) throws(StoreError) -> LMDBTransaction {
        saveCount += 1
        if saveCount % Self.savesPerReaderCheck == 0 { checkReaders() }
        mdb_env_set_flags(handle, UInt32(MDB_NOMETASYNC), isRelaxed ? 1 : 0)
        return try begin(flags: 0)
    }

    /// MAP_RESIZED comes where another process has grown the file beyond our map.
    private func begin(flags: UInt32) throws(StoreError) -> LMDBTransaction {
        guard process == getpid() else {
            throw .unsupported(
                location, feature: "been opened before this process was forked",
                advice: "Open the store again in the child.")
        }
        var hasCheckedReaders = false
        while true {
            var transaction: OpaquePointer?
            let code = gate.use {
                isBroken ? MDB_PANIC : mdb_txn_begin(handle, nil, flags, &transaction)
            }
            if code == MDB_SUCCESS, let transaction {
                return LMDBTransaction(transaction, of: self)
            }
            if code == MDB_MAP_RESIZED {
                try adoptGrowth()
            } else if code == MDB_READERS_FULL, !hasCheckedReaders {
                hasCheckedReaders = true
                checkReaders()
            } else {
                throw LMDBFailure(code: code, operation: "begin").storeError(at: location)
            }
        }
    }

    /// Runs the body in a transaction that reads, in which tables may be opened for good.
    ///
    /// - Throws: what ``beginRead()`` and the body throw.
    func openTables<Result>(
        _ body: (LMDBTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try tableLock.withLock { () throws(StoreError) in
            let transaction = try beginRead()
            return try gate.use { () throws(StoreError) in
                let result = try body(transaction)
                try transaction.commit()
                return result
            }
        }
    }

    /// The number of the newest state.
    var lastTransaction: UInt64 { gate.use { UInt64(truncatingIfNeeded: info.me_last_txnid) } }

    /// Whether LMDB failed in a way after which it does not know what is on disk.
    var isInDoubt: Bool {
        do throws(StoreError) {
            try beginRead().abort()
            return false
        } catch {
            if case .engineFailure(let failure) = error { return failure.code == Int(MDB_PANIC) }
            return false
        }
    }

    // MARK: Keys

    /// The key after the last that this process took, for a root entity.
    ///
    /// - Precondition: the caller holds ``writeLock``.
    func nextKey(of root: String) -> Int64 { nextKeys[root] ?? 1 }

    /// Notes that the keys before this one were taken.
    ///
    /// - Precondition: the caller holds ``writeLock``.
    func raiseNextKey(_ key: Int64, of root: String) {
        nextKeys[root] = max(key, nextKey(of: root))
    }

    // MARK: Readers

    /// Frees the places of readers that were killed. Returns how many there were.
    @discardableResult func checkReaders() -> Int {
        var dead: Int32 = 0
        mdb_reader_check(handle, &dead)
        return Int(dead)
    }

    // MARK: The map

    /// Read inside of the gate: it looks into the map.
    private var info: MDB_envinfo {
        var info = MDB_envinfo()
        mdb_env_info(handle, &info)
        return info
    }

    /// Makes room for a save that found none: by freeing what killed readers held, or by mapping
    /// twice as much.
    ///
    /// Snapshots go on: their transactions hold no pointer into the map (mdb.c,
    /// mdb_env_set_mapsize refuses only while a transaction writes).
    ///
    /// - Precondition: no write transaction is open in this process.
    /// - Throws: `.engineFailure` where the system has no addresses left.
    func makeRoom() throws(StoreError) {
        if checkReaders() > 0 { return }
        try gate.move { () throws(StoreError) in try map(info.me_mapsize * 2) }
    }

    /// Maps as much as another process has grown the file to.
    private func adoptGrowth() throws(StoreError) {
        try gate.move { () throws(StoreError) in
            let code = mdb_env_set_mapsize(handle, 0)
            // A save began here meanwhile: it has mapped what there is.
            if code != EINVAL { try checkMapped(code) }
        }
    }

    private func map(_ byteCount: Int) throws(StoreError) {
        // LMDB unmaps before it maps, so find out first whether there is room.
        let probe = mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANON | noReserve, -1, 0)
        guard let probe, probe != MAP_FAILED else {
            throw LMDBFailure(code: ENOMEM, operation: "grow the map").storeError(at: location)
        }
        munmap(probe, byteCount)
        try checkMapped(mdb_env_set_mapsize(handle, byteCount))
    }

    private func checkMapped(_ code: Int32) throws(StoreError) {
        guard code != MDB_SUCCESS else { return }
        isBroken = true
        throw LMDBFailure(code: code, operation: "grow the map").storeError(at: location)
    }

    #if canImport(Glibc)
    private let noReserve = MAP_NORESERVE
    #else
    private let noReserve: Int32 = 0
    #endif

    // MARK: The file

    /// Makes the file as long as its pages, after a commit.
    ///
    /// LMDB does not write pages that a save took and gave back; at the end of the file they would
    /// make it look truncated.
    func extendFile() {
        let needed = gate.use {
            var status = MDB_stat()
            mdb_env_stat(handle, &status)
            return (info.me_last_pgno + 1) * Int(status.ms_psize)
        }
        var descriptor: mdb_filehandle_t = -1
        var file = stat()
        guard mdb_env_get_fd(handle, &descriptor) == MDB_SUCCESS, fstat(descriptor, &file) == 0,
            Int(file.st_size) < needed
        else { return }
        // Where that fails, the check at the next open finds the pages among the free ones.
        _ = ftruncate(descriptor, off_t(needed))
    }
}
