import CairnCLMDB
import CairnFiles
import CairnStore
import CairnThreads
import Foundation

/// An LMDB file that this process has open: owns LMDB's environment and closes it.
///
/// One per file and process, because closing a second one would drop the first one's locks; so
/// ``LMDBRegistry`` alone makes them. Not for use in a forked child.
///
/// After some failures LMDB refuses every further call (`MDB_PANIC`). The environment is then
/// unusable; the registry closes it, which ends its transactions, and opens the file again.
final class LMDBEnvironment: @unchecked Sendable {
    // Unchecked: LMDB guards its handle; the map moves, and the environment closes, only inside
    // `gate.move`; `condition` and `readers` are accessed under `stateLock` only; `saveCount`
    // and `fileByteCount` belong to the holder of the write lock.

    /// What an environment is opened with; the first to open a file decides.
    struct Settings {
        /// How much of the file is mapped at first; the map grows when it is full.
        var mapByteCount: Int
        /// How many transactions of all processes may read at once.
        var readerCount: Int
        /// How many tables can be open.
        var tableCount: Int
        /// How long a snapshot waits for a save that keeps it from being taken.
        var readTimeout = Duration.seconds(5)
    }

    let location: StoreLocation
    /// The file that LMDB has open.
    let identity: FileIdentity
    /// The name by which it was opened, symbolic links resolved.
    let path: String
    /// Whether this process may not write the file or its lock file.
    let isReadOnly: Bool
    /// Taken by every save before LMDB's own lock, which cannot be waited for with a limit. An
    /// environment and those that replace it share one.
    let writeLock: WriteLock
    /// The keys that saves of this process took; shared as the write lock is.
    let takenKeys: TakenKeys
    /// Held while tables are opened: LMDB wants one thread at a time for that.
    let tableLock = Lock()

    private enum Condition {
        case sound
        /// LMDB or the map failed: no transaction can begin, those that read go on.
        case unusable
        /// Every transaction has ended.
        case closed
    }

    /// Taken by every snapshot if this process may not write the lock file.
    private let readLock: ReadLock?
    private let settings: Settings
    private let handle: LMDBHandle
    private let process = getpid()
    /// Many may read through the map, or one may move it.
    private let gate = MapGate()
    private let stateLock = Lock()
    private var condition = Condition.sound
    /// The transactions that read.
    private var readers: Set<OpaquePointer> = []
    private var saveCount = 0
    /// How many bytes the file has at least: nobody cuts it short while it is open.
    private var fileByteCount = 0

    /// How many saves there are between two looks for readers that were killed.
    private static let savesPerReaderCheck = 256

    /// Opens a file whose pages were checked before, or makes one.
    ///
    /// - Parameters:
    ///   - path: the file's, with symbolic links resolved.
    ///   - hasOtherNames: whether the file has other names, each with another lock file. It is then
    ///     opened for reading, and its readers exclude writers.
    ///   - previous: the closed environment of the same file that this one replaces.
    /// - Throws: `.notAStore`, `.readOnly`, `.fileReplaced` if another file gets the name
    ///   meanwhile, `.fileFailure`, `.engineFailure`.
    init(
        path: String, location: StoreLocation, settings: Settings, isReadOnly: Bool,
        hasOtherNames: Bool = false, replacing previous: LMDBEnvironment? = nil
    ) throws(StoreError) {
        let usesLockFile =
            hasOtherNames
            ? false : try ReaderTableFile(ofFileAt: path).prepare(readerCount: settings.readerCount)
        self.isReadOnly = isReadOnly || !usesLockFile
        handle = try LMDBHandle(
            opening: path, location, settings, isReadOnly: self.isReadOnly,
            usesLockFile: usesLockFile)
        do throws(StoreError) {
            let identity = try handle.identity(ofFileAt: path)
            self.identity = identity
            readLock =
                usesLockFile
                ? nil : ReadLock(try DataFileLock(path: path, of: identity, at: location))
            writeLock =
                if let previous {
                    previous.writeLock
                } else {
                    WriteLock(try DataFileLock(path: path, of: identity, at: location))
                }
        } catch {
            handle.close()
            throw error
        }
        takenKeys = previous?.takenKeys ?? TakenKeys()
        self.path = path
        self.location = location
        self.settings = settings
        _ = try use { () throws(StoreError) in handle.checkReaders() }
    }

    /// Closes the file, and ends the transactions that still read it. Closing it twice has no
    /// effect.
    ///
    /// - Precondition: no transaction writes.
    func close() {
        gate.move {
            stateLock.withLock {
                if condition == .closed { return }
                condition = .closed
                // In a forked child this would free the parent's slots in the table of readers.
                guard process == getpid() else { return }
                for reader in readers { mdb_txn_abort(reader) }
                for _ in readers { readLock?.give() }
                readers = []
                handle.close()
            }
        }
    }

    /// Runs the body, which works on the open file. No pointer into the map may leave it.
    ///
    /// - Precondition: the thread is in no other body of this environment's.
    /// - Throws: `.engineFailure` if the environment was closed; what the body throws.
    func use<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try gate.use { () throws(StoreError) in
            // It closes inside of the gate only: what is true now stays true during the body.
            guard stateLock.withLock({ condition != .closed }) else {
                throw .engineFailure(
                    EngineFailure(
                        type: LMDBStore.type, location: location,
                        operation: "read an earlier state", code: Int(MDB_PANIC),
                        message: "a write failed, and the file was opened again since; "
                            + "take a new snapshot"))
            }
            return try body()
        }
    }

    /// Whether the file has to be opened again before anything can be done with it.
    var isUnusable: Bool { stateLock.withLock { condition != .sound } }

    private func noteFailure() {
        stateLock.withLock { if condition == .sound { condition = .unusable } }
    }

    // MARK: Transactions

    /// Whether nobody can save while a transaction reads.
    var readersExcludeWriters: Bool { readLock != nil }

    /// Begins to read the newest state.
    ///
    /// - Throws: `.busy` if all slots for readers are taken, or a save excluded this reader;
    ///   `.fileFailure`, `.engineFailure`.
    func beginRead() throws(StoreError) -> LMDBTransaction {
        try readLock?.take(waitingAtMost: settings.readTimeout)
            .requireTaken(location, waited: settings.readTimeout)
        do throws(StoreError) {
            return try begin { transaction in
                mdb_txn_begin(handle.pointer, nil, UInt32(MDB_RDONLY), &transaction)
            }
        } catch {
            readLock?.give()
            throw error
        }
    }

    /// Begins to write.
    ///
    /// - Precondition: the caller holds ``writeLock``.
    /// - Parameter isRelaxed: whether a power cut may undo the commit; never half of it.
    /// - Throws: `.engineFailure`, also if the lock file belongs to another data file.
    func beginWrite(isRelaxed: Bool) throws(StoreError) -> LMDBTransaction {
        saveCount += 1
        let checksReaders = saveCount % Self.savesPerReaderCheck == 0
        let transaction = try begin(writes: true) { transaction in
            if checksReaders { handle.checkReaders() }
            mdb_env_set_flags(handle.pointer, UInt32(MDB_NOMETASYNC), isRelaxed ? 1 : 0)
            return mdb_txn_begin(handle.pointer, nil, 0, &transaction)
        }
        // LMDB counts on from the number in the lock file. Nobody else saves now.
        guard try lastTransaction() + 1 == transaction.number else {
            transaction.abort()
            throw .engineFailure(
                EngineFailure(
                    type: LMDBStore.type, location: location, operation: "begin", code: 0,
                    message: "the file was moved or replaced while others had it open, and saved "
                        + "to under another name; close it everywhere, then open it again"))
        }
        return transaction
    }

    /// LMDB returns MAP_RESIZED if another process has grown the file beyond our map.
    private func begin(
        writes: Bool = false, _ call: (inout OpaquePointer?) -> Int32
    ) throws(StoreError) -> LMDBTransaction {
        guard process == getpid() else {
            throw .unsupported(
                location, feature: "been opened before this process was forked",
                advice: "Open the store again in the child.")
        }
        var hasCheckedReaders = false
        while true {
            var code: Int32 = MDB_SUCCESS
            let begun = try use { () throws(StoreError) -> LMDBTransaction? in
                var transaction: OpaquePointer?
                code = isUnusable ? MDB_PANIC : call(&transaction)
                guard code == MDB_SUCCESS, let transaction else { return nil }
                if !writes { stateLock.withLock { _ = readers.insert(transaction) } }
                return LMDBTransaction(transaction, of: self, isReading: !writes)
            }
            if let begun { return begun }
            if code == MDB_MAP_RESIZED {
                try adoptGrowth()
            } else if code == MDB_READERS_FULL, !hasCheckedReaders {
                hasCheckedReaders = true
                _ = try use { () throws(StoreError) in handle.checkReaders() }
            } else {
                if code == MDB_PANIC { noteFailure() }
                throw LMDBFailure(code: code, operation: "begin").storeError(at: location)
            }
        }
    }

    /// Ends a transaction that reads, unless closing the environment has ended it.
    func endReading(_ transaction: OpaquePointer) {
        stateLock.withLock {
            guard readers.remove(transaction) != nil else { return }
            mdb_txn_abort(transaction)
            readLock?.give()
        }
    }

    /// Ends a transaction that reads, and keeps the tables that were opened in it.
    ///
    /// - Precondition: the thread is in a body of ``use(_:)``.
    func commitReading(_ transaction: OpaquePointer) -> Int32 {
        stateLock.withLock {
            guard readers.remove(transaction) != nil else { return EINVAL }
            defer { readLock?.give() }
            return mdb_txn_commit(transaction)
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
            return try use { () throws(StoreError) in
                let result = try body(transaction)
                try transaction.commit()
                return result
            }
        }
    }

    /// The number of the newest state.
    ///
    /// - Throws: `.engineFailure` if the environment was closed.
    func lastTransaction() throws(StoreError) -> UInt64 {
        try use { () throws(StoreError) in handle.lastTransaction }
    }

    /// How many tables the newest state has, by the file's own account.
    ///
    /// - Throws: `.engineFailure` if the environment was closed.
    func tableCount() throws(StoreError) -> Int {
        try use { () throws(StoreError) in handle.tableCount }
    }

    /// Whether LMDB failed in a way after which it does not know what is on disk.
    func isInDoubt() -> Bool {
        _ = try? beginRead()
        return isUnusable
    }

    // MARK: The lock file

    /// Checks that the lock file belongs to this data file: that both know the same transaction as
    /// the newest.
    ///
    /// Another process may still use a file that stood at this path before, with the lock file that
    /// still stands there: LMDB would take that file's transaction number for this one's, and write
    /// over the newest state.
    ///
    /// - Throws: `.locked` if it belongs to another file; `.busy`, `.fileFailure`, `.engineFailure`.
    func checkLockFile() throws(StoreError) {
        // Those who cannot write overwrite nothing.
        if isReadOnly { return }
        let transaction = try beginRead()
        let number = transaction.number
        transaction.abort()
        // They differ for a moment in each commit, too.
        if try number == lastTransaction() { return }
        try writeLock.take(waitingAtMost: settings.readTimeout)
            .requireTaken(location, waited: settings.readTimeout)
        defer { writeLock.give() }
        do throws(StoreError) {
            try beginWrite(isRelaxed: false).abort()
        } catch {
            throw .locked(location, holder: "a process whose store was at this path before")
        }
    }

    // MARK: The map

    /// Makes room for a save that found none: by freeing what killed readers held, or by mapping
    /// twice as much.
    ///
    /// Snapshots go on: their transactions hold no pointer into the map (mdb.c,
    /// mdb_env_set_mapsize refuses only while a transaction writes).
    ///
    /// - Precondition: no write transaction is open in this process.
    /// - Throws: `.engineFailure` if the system has no addresses left.
    func makeRoom() throws(StoreError) {
        if try use({ () throws(StoreError) in handle.checkReaders() }) > 0 { return }
        try moveMap { () throws(StoreError) in try map(handle.info.me_mapsize * 2) }
    }

    /// Maps as much as another process has grown the file to.
    private func adoptGrowth() throws(StoreError) {
        try moveMap { () throws(StoreError) in
            let code = mdb_env_set_mapsize(handle.pointer, 0)
            // A save began here meanwhile: it has mapped what there is.
            if code != EINVAL { try checkMapped(code) }
        }
    }

    private func moveMap(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try gate.move { () throws(StoreError) in
            // The next to begin a transaction opens the file again, with a map as large as it.
            if isUnusable { return }
            try body()
        }
    }

    private func map(_ byteCount: Int) throws(StoreError) {
        // LMDB unmaps before it maps, so find out first whether there is room.
        let probe = mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANON | noReserve, -1, 0)
        guard let probe, probe != MAP_FAILED else {
            throw LMDBFailure(code: ENOMEM, operation: "grow the map").storeError(at: location)
        }
        munmap(probe, byteCount)
        try checkMapped(mdb_env_set_mapsize(handle.pointer, byteCount))
    }

    private func checkMapped(_ code: Int32) throws(StoreError) {
        guard code != MDB_SUCCESS else { return }
        noteFailure()
        throw LMDBFailure(code: code, operation: "grow the map").storeError(at: location)
    }

    #if canImport(Glibc)
    private let noReserve = MAP_NORESERVE
    #else
    private let noReserve: Int32 = 0
    #endif

    // MARK: The file

    /// As ``LMDBHandle/reasonForShortWrite()``.
    ///
    /// - Precondition: the environment is not closed meanwhile.
    func reasonForShortWrite() -> Int32 { handle.reasonForShortWrite() }

    /// As ``LMDBHandle/extendFile(from:)``.
    ///
    /// - Precondition: the caller holds ``writeLock``, or nobody else has the file.
    func extendFile() {
        try? use { () throws(StoreError) in fileByteCount = handle.extendFile(from: fileByteCount) }
    }
}
