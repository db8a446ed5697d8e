import CairnCLMDB
import CairnFiles
import CairnStore
import CairnThreads
import Foundation

/// An LMDB file that this process has open. Owns LMDB's environment and closes it.
///
/// Each process has at most one environment for a file, because closing a second one would release
/// the locks of the first. Therefore only ``LMDBRegistry`` creates environments. An environment
/// cannot be used in a forked child.
///
/// After some failures LMDB rejects all further calls (`MDB_PANIC`). The environment is then
/// unusable. The registry closes it, which ends its transactions, and opens the file again.
final class LMDBEnvironment: @unchecked Sendable {
    // Unchecked: LMDB guards its handle. The map moves, and the environment closes, only inside
    // `gate.move`. `condition` and `readers` are only accessed under `stateLock`. `saveCount` and
    // `fileByteCount` belong to the holder of the write lock.

    /// The settings of an environment. The first store that opens a file decides.
    struct Settings {
        /// How many bytes of the file are mapped initially. The map grows when it is full.
        var mapByteCount: Int
        /// How many transactions of all processes may read at the same time.
        var readerCount: Int
        /// How many tables may be open.
        var tableCount: Int
        /// How long a snapshot waits for a save that excludes it.
        var readTimeout = Duration.seconds(5)
    }

    let location: StoreLocation
    /// The file that LMDB has open.
    let identity: FileIdentity
    /// The path that the file was opened with, with symbolic links resolved.
    let path: String
    /// Whether this process may not write the file or its lock file.
    let isReadOnly: Bool
    /// The locks on the file. Every save takes the write lock before LMDB's own lock, because
    /// waiting for LMDB's lock has no time limit. An environment shares the locks with the
    /// environments that replace it.
    let locks: LMDBLocks
    /// Whether saves are impossible while a transaction reads. Every snapshot then takes the read
    /// lock, because this process may not write the lock file.
    let readersExcludeWriters: Bool
    /// The lock held while tables are opened, because LMDB allows only one thread at a time to do
    /// that.
    let tableLock = Lock()

    private enum Condition {
        case sound
        /// LMDB or the map has failed. No transaction can begin, but existing read transactions
        /// continue.
        case unusable
        /// All transactions have ended.
        case closed
    }

    private let settings: Settings
    private let handle: LMDBHandle
    private let process = getpid()
    /// Allows either many threads to read through the map, or one thread to move it.
    private let gate = MapGate()
    private let stateLock = Lock()
    private var condition = Condition.sound
    /// The open read transactions.
    private var readers: Set<OpaquePointer> = []
    private var saveCount = 0
    /// A lower bound of the file's size. The file does not shrink while it is open.
    private var fileByteCount = 0

    /// How many saves happen between two checks for readers that were killed.
    private static let savesPerReaderCheck = 256

    /// Opens a file whose pages were checked before, or creates a file.
    ///
    /// - Parameters:
    ///   - path: The file's path, with symbolic links resolved.
    ///   - hasOtherNames: Whether the file has other names, each with another lock file. It is then
    ///     opened for reading, and its readers exclude writers.
    ///   - previous: The closed environment of the same file that the new one replaces.
    /// - Throws: `.notAStore`, `.readOnly`, `.fileReplaced` if another file gets the name
    ///   meanwhile, `.fileFailure` or `.engineFailure`.
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
        do {
            let identity = try handle.identity(ofFileAt: path)
            self.identity = identity
            locks =
                if let previous {
                    previous.locks
                } else {
                    try LMDBLocks(path: path, of: identity, at: location)
                }
        } catch {
            handle.close()
            throw error
        }
        readersExcludeWriters = !usesLockFile
        self.path = path
        self.location = location
        self.settings = settings
        _ = try use { () throws(StoreError) in handle.checkReaders() }
    }

    /// Closes the file, and ends the transactions that still read it. Closing it twice has no
    /// effect.
    ///
    /// - Precondition: There is no write transaction.
    func close() {
        gate.move {
            stateLock.withLock {
                if condition == .closed { return }
                condition = .closed
                // In a forked child, this would free the parent's slots in the reader table.
                guard process == getpid() else { return }
                for reader in readers { mdb_txn_abort(reader) }
                for _ in readers { releaseReadLock() }
                readers = []
                handle.close()
            }
        }
    }

    /// Runs a body that works on the open file. The body must not let pointers into the map escape.
    ///
    /// - Precondition: The thread runs no other body of this environment.
    /// - Throws: `.engineFailure` if the environment was closed, and the errors of the body.
    func use<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try gate.use { () throws(StoreError) in
            // The environment only closes inside the gate, so this stays true during the body.
            guard stateLock.withLock({ condition != .closed }) else {
                throw .engineFailure(
                    EngineFailure(
                        type: LMDBStore.type, location: location,
                        operation: "read an earlier state", code: Int(MDB_PANIC),
                        message:
                            "a write failed, and the file has since been opened again; take a new"
                            + " snapshot"))
            }
            return try body()
        }
    }

    /// Whether the file must be opened again before it can be used.
    var isUnusable: Bool { stateLock.withLock { condition != .sound } }

    private func noteFailure() {
        stateLock.withLock { if condition == .sound { condition = .unusable } }
    }

    // MARK: Transactions

    /// Begins a transaction that reads the newest state.
    ///
    /// - Throws: `.busy` if all reader slots are in use, or if a save excluded this reader;
    ///   `.fileFailure` or `.engineFailure`.
    func beginRead() throws(StoreError) -> LMDBTransaction {
        if readersExcludeWriters {
            try locks.takeReadLock(waitingAtMost: settings.readTimeout)
                .requireTaken(location, waited: settings.readTimeout)
        }
        do {
            return try begin { transaction in
                mdb_txn_begin(handle.pointer, nil, UInt32(MDB_RDONLY), &transaction)
            }
        } catch {
            releaseReadLock()
            throw error
        }
    }

    private func releaseReadLock() { if readersExcludeWriters { locks.releaseReadLock() } }

    /// Begins a write transaction.
    ///
    /// - Precondition: The caller holds the write lock.
    /// - Parameter isRelaxed: Whether a power loss may undo the commit. It never undoes only a part
    ///   of it.
    /// - Throws: `.engineFailure`, including if the lock file belongs to another data file.
    func beginWrite(isRelaxed: Bool) throws(StoreError) -> LMDBTransaction {
        saveCount += 1
        let checksReaders = saveCount % Self.savesPerReaderCheck == 0
        let transaction = try begin(writes: true) { transaction in
            if checksReaders { handle.checkReaders() }
            mdb_env_set_flags(handle.pointer, UInt32(MDB_NOMETASYNC), isRelaxed ? 1 : 0)
            return mdb_txn_begin(handle.pointer, nil, 0, &transaction)
        }
        // LMDB takes the next number from the lock file. No other save is running now.
        guard try lastTransaction() + 1 == transaction.number else {
            transaction.abort()
            throw .engineFailure(
                EngineFailure(
                    type: LMDBStore.type, location: location, operation: "begin", code: 0,
                    message:
                        "the file was moved or replaced while other processes had it open, and was"
                        + " then saved to under another name. Close it everywhere, then open it again"
                ))
        }
        return transaction
    }

    /// Begins a transaction. If another process has enlarged the file beyond this process's map
    /// (`MDB_MAP_RESIZED`), enlarges the map and tries again.
    private func begin(
        writes: Bool = false, _ call: (inout OpaquePointer?) -> Int32
    ) throws(StoreError) -> LMDBTransaction {
        guard process == getpid() else {
            throw .unsupported(
                location, feature: "been opened before this process was forked",
                advice: "Open the store again in the child process.")
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

    /// Ends a read transaction, unless it has already ended because the environment was closed.
    func endReading(_ transaction: OpaquePointer) {
        stateLock.withLock {
            guard readers.remove(transaction) != nil else { return }
            mdb_txn_abort(transaction)
            releaseReadLock()
        }
    }

    /// Ends a read transaction, and keeps the tables that were opened in it.
    ///
    /// - Precondition: The thread runs a body of ``use(_:)``.
    func commitReading(_ transaction: OpaquePointer) -> Int32 {
        stateLock.withLock {
            guard readers.remove(transaction) != nil else { return EINVAL }
            defer { releaseReadLock() }
            return mdb_txn_commit(transaction)
        }
    }

    /// Runs a body in a read transaction. Tables that the body opens stay open.
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

    /// Returns the number of the newest state.
    ///
    /// - Throws: `.engineFailure` if the environment was closed.
    func lastTransaction() throws(StoreError) -> UInt64 {
        try use { () throws(StoreError) in handle.lastTransaction }
    }

    /// Returns the number of tables in the newest state, as recorded in the file.
    ///
    /// - Throws: `.engineFailure` if the environment was closed.
    func tableCount() throws(StoreError) -> Int {
        try use { () throws(StoreError) in handle.tableCount }
    }

    /// Returns whether LMDB has failed in such a way that it does not know what is on disk.
    func isInDoubt() -> Bool {
        _ = try? beginRead()
        return isUnusable
    }

    // MARK: The lock file

    /// Checks that the lock file belongs to this data file, by comparing the number of the newest
    /// transaction in both.
    ///
    /// Another process may still use a file that was at this path before, together with the lock
    /// file that is still there. LMDB would then use the transaction number of that file for this
    /// one, and overwrite the newest state.
    ///
    /// - Throws: `.locked` if the lock file belongs to another file; `.busy`, `.fileFailure` or
    ///   `.engineFailure`.
    func checkLockFile() throws(StoreError) {
        // A process that cannot write cannot overwrite anything.
        if isReadOnly { return }
        let transaction = try beginRead()
        let number = transaction.number
        transaction.abort()
        // The numbers also differ for a moment in each commit.
        if try number == lastTransaction() { return }
        try locks.takeWriteLock(waitingAtMost: settings.readTimeout)
            .requireTaken(location, waited: settings.readTimeout)
        defer { locks.releaseWriteLock() }
        do {
            try beginWrite(isRelaxed: false).abort()
        } catch {
            throw .locked(location, holder: "a process whose store was at this path before")
        }
    }

    // MARK: The map

    /// Makes room for a save that found no space, either by freeing the pages of readers that were
    /// killed, or by doubling the size of the map.
    ///
    /// Snapshots continue, because their transactions hold no pointers into the map (mdb.c:
    /// mdb_env_set_mapsize only fails while a transaction writes).
    ///
    /// - Precondition: No write transaction is open in this process.
    /// - Throws: `.engineFailure` if the system has no addresses left.
    func makeRoom() throws(StoreError) {
        if try use({ () throws(StoreError) in handle.checkReaders() }) > 0 { return }
        try moveMap { () throws(StoreError) in try map(handle.info.me_mapsize * 2) }
    }

    /// Makes room for a save that needs about that many bytes. A map takes only addresses.
    ///
    /// - Precondition: No write transaction is open in this process.
    /// - Throws: `.engineFailure` if the system has no addresses left.
    func makeRoom(for byteCount: Int) throws(StoreError) {
        let needed = handle.usedByteCount + byteCount
        if needed <= handle.info.me_mapsize { return }
        try moveMap { () throws(StoreError) in try map(max(needed, handle.info.me_mapsize * 2)) }
    }

    /// Enlarges the map after another process has enlarged the file.
    private func adoptGrowth() throws(StoreError) {
        try moveMap { () throws(StoreError) in
            let code = mdb_env_set_mapsize(handle.pointer, 0)
            // A save has begun in this process meanwhile, and has already enlarged the map.
            if code != EINVAL { try checkMapped(code) }
        }
    }

    private func moveMap(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try gate.move { () throws(StoreError) in
            // The next transaction to begin opens the file again, with a map that is large enough.
            if isUnusable { return }
            try body()
        }
    }

    private func map(_ byteCount: Int) throws(StoreError) {
        // LMDB unmaps before it maps, so first find out whether there are enough addresses.
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

    /// Returns the result of ``LMDBHandle/reasonForShortWrite()``.
    ///
    /// - Precondition: The environment is not closed meanwhile.
    func reasonForShortWrite() -> Int32 { handle.reasonForShortWrite() }

    /// Calls ``LMDBHandle/extendFile(from:)``.
    ///
    /// - Precondition: The caller holds the write lock, or is the only user of the file.
    func extendFile() {
        try? use { () throws(StoreError) in fileByteCount = handle.extendFile(from: fileByteCount) }
    }
}
