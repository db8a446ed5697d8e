import CairnEngineKit
import CairnFiles
import CairnModel
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// A store in Core Data's SQLite format. It opens and writes stores created by Core Data, and they
/// remain Core Data stores.
///
/// Snapshots read in parallel and do not wait for a save. Several processes may have the store
/// open. Options: ``CairnStore/StoreOption/timeout`` (seconds; 5 by default),
/// ``CairnStore/StoreOption/synchronous`` and ``CairnStore/StoreOption/roundsValues``.
package final class SQLiteStore: FileStore, SelfCheckingStore, HistoryStore {
    /// `"SQLite"`.
    package static let type: StoreType = "SQLite"

    /// The capabilities of the format. Columns store the same values as in Core Data: no NaN, no
    /// −0, and decimals of up to 15 digits. Readers continue during a save, and other processes may
    /// have the store open.
    package static let capabilities = StoreCapabilities(
        isDurable: true, readsDuringSave: true, isShared: true, groupsSaves: true,
        savesInParts: true,
        namedSaves: .remembered,
        fidelity: [
            .double: .partial("NaN is kept as nil, −0 as 0"),
            .float: .partial("NaN is kept as nil, −0 as 0"),
            .date: .partial("NaN is kept as nil, −0 as 0"),
            .decimal: .partial("kept with 15 digits, or as a 64-bit integer; NaN as nil"),
            .composite: .partial("one whose elements are all nil is kept as nil"),
        ],
        options: SQLiteOptions.all)

    /// The number that the IDs of this store's objects contain. It stays the same when the file is
    /// opened again.
    package let number: StoreNumber
    /// The request that opened the store. Its location is as the caller gave it; symbolic links are
    /// not resolved.
    package let request: OpenRequest
    let files: SQLiteFiles
    let options: SQLiteOptions
    let schema: FetchSchema
    let uniqueColumns: UniqueColumns
    let orderColumns: OrderColumns
    /// The attributes that a save computes, because no trigger in the store maintains them.
    let derivedAttributes: DerivedAttributes
    let knownHistory: Mutex<HistoryTables.Known>
    let readers: SQLiteReaderPool
    let session: FileSession
    private let state: Mutex<State>

    /// The store's metadata when it was opened.
    private let openedMetadata: StoreMetadata
    /// The store's identifier, which never changes.
    var identifier: String { openedMetadata.identifier }

    /// The connection for saves.
    private enum Writer {
        /// The first save opens the connection. Programs that only read do not need it.
        case unopened
        case idle(SQLiteWriter)
        /// The log is being copied between two saves.
        case copyingLog
        /// A save uses the connection, or the store is closed or read-only.
        case taken
    }

    private struct State {
        var writer: Writer
        var isClosed = false
        var reservedKeys: [EntityNumber: Int64] = [:]
        /// External files that no row refers to any more, but that a reader of an older state may
        /// need, in this process or another.
        var obsoleteFiles: Set<String> = []
        var obsoleteByteCount: Int64 = 0
    }

    private init(_ opened: SQLiteOpening) {
        request = opened.request
        files = opened.files
        options = opened.options
        number = opened.number
        schema = FetchSchema(
            map: opened.map, store: opened.number, location: opened.request.location)
        uniqueColumns = UniqueColumns(opened.map)
        orderColumns = OrderColumns(opened.map)
        derivedAttributes = opened.derivedAttributes
        knownHistory = Mutex(opened.history)
        session = opened.session
        openedMetadata = opened.metadata
        let writer = opened.writer.map(Writer.idle) ?? .unopened
        state = Mutex(State(writer: request.isReadOnly ? .taken : writer))
        let connections = opened.connections
        readers = SQLiteReaderPool(
            location: request.location, observer: opened.observer,
            dataVersion: opened.dataVersion, reader: opened.reader
        ) { () throws(StoreError) in try connections.reader() }
    }

    deinit { try? close() }
}

// MARK: Before opening

extension SQLiteStore {
    /// `"a SQLite database"`.
    package static let fileDescription = "a SQLite database"

    /// Returns `true` for every SQLite database. Only opening it shows whether it contains Core
    /// Data's tables.
    package static func recognizes(_ location: StoreLocation) -> Bool {
        guard let files = try? SQLiteFiles(location) else { return false }
        return (try? FileSniffer(files: files).requireDatabase()) != nil
    }

    /// Reads `Z_METADATA` through a connection of its own, including changes that are still in the
    /// `-wal`. Leaves no files that did not exist before.
    ///
    /// - Throws: `.notFound`; `.notAStore`, also for a database without Core Data's tables;
    ///   `.unsupported` if the location is not a file; `.corrupt`, `.busy`, `.fileFailure` or
    ///   `.engineFailure`.
    package static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try StoreInspection.look(at: location) { (store) throws(StoreError) in
            try store.metadata()
        }
    }

    /// Reads the model that Core Data stores in `Z_MODELCACHE`. Returns `nil` if the store contains
    /// no model, as in older stores.
    ///
    /// - Throws: The errors of ``metadata(at:)``.
    package static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try StoreInspection.look(at: location) { (store) throws(StoreError) in
            try store.model()
        }
    }

    /// Counts rows by `Z_ENT`, with the entity names of the model in the store. If the store
    /// contains no model, uses the names that `Z_PRIMARYKEY` lists. Reads the table of every root
    /// entity.
    ///
    /// - Throws: The errors of ``metadata(at:)``.
    package static func entityCounts(
        at location: StoreLocation
    ) throws(StoreError) -> [String: Int] {
        try StoreInspection.look(at: location) { (store) throws(StoreError) in
            try EntityCounter(inspection: store).counts()
        }
    }

    /// The `-wal`, a rollback journal and the two folders of large values, which are data; and the
    /// `-shm` and Cairn's `-lock`, which are not. They are next to the file that a symbolic link
    /// leads to.
    package static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        (try? SQLiteFiles(location))?.companions ?? []
    }

    /// Copies the log into the main file first. Detects every program that has the store open
    /// through SQLite, except that a program that reads a store without a log is only detected
    /// while it reads.
    ///
    /// - Throws: The errors of ``CairnStore/FileStore/withExclusiveUse(of:_:)``.
    package static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try SQLiteExclusiveUse(files: SQLiteFiles(location)).run(body)
    }

    /// Opens a store that Core Data wrote, or creates one with Core Data's schema.
    ///
    /// - Throws: The errors of ``CairnStore/PersistentStore/open(_:)``. Throws `.locked` only while
    ///   this process moves or removes the store's files; other programs that have the store open
    ///   cause at most `.busy`.
    package static func open(_ request: OpenRequest) throws(StoreError) -> SQLiteStore {
        try SQLiteStore(SQLiteOpening(request))
    }
}

// MARK: Reading and saving

extension SQLiteStore {
    /// Reads the current `Z_METADATA`, including changes by other processes. If nothing was
    /// committed since the store was opened, returns the metadata that was read then.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy` or `.engineFailure`.
    package func metadata() throws(StoreError) -> StoreMetadata {
        if try readers.newestGeneration() == SQLiteReaderPool.firstGeneration {
            return openedMetadata
        }
        return try readers.checkOut().withConnection { (connection) throws(StoreError) in
            try MetadataTable(connection: connection).read()
        }
    }

    /// Begins a read transaction on a connection of its own. While the snapshot is held, the `-wal`
    /// cannot be copied into the file completely, and grows.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy` or `.engineFailure`.
    package func snapshot() throws(StoreError) -> any StoreSnapshot {
        SQLiteSnapshot(
            try readers.checkOut(), schema: schema, externalData: files.externalData)
    }

    /// Begins a read transaction on a connection of its own, through which SQLite copies the pages.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy` or `.engineFailure`.
    package func stateToCopy() throws(StoreError) -> (any StateToCopy)? {
        SQLiteStateToCopy(try readers.checkOut(), of: self)
    }

    /// Asks the connection that observes commits. Begins no transaction.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy` or `.engineFailure`.
    package func newestGeneration() throws(StoreError) -> StoreGeneration {
        try readers.newestGeneration()
    }

    /// Waits for the lock file that all savers of the store lock in turn, for at most
    /// ``CairnStore/StoreOption/timeout``.
    ///
    /// - Throws: `.closed`; `.readOnly`, including if the lock file cannot be created; `.fileRemoved`,
    ///   `.fileReplaced`, `.hardLinked`, `.busy`, `.cancelled`, `.corrupt`, `.fileFailure` or
    ///   `.engineFailure`.
    package func beginSave() throws(StoreError) -> any SaveTransaction { try begin() }

    /// Returns whether a named save was committed. Writes to the log, so that no part of a failed
    /// commit can be found there later.
    ///
    /// - Throws: The errors of ``beginSave()``; `.commitOutcomeUnknown`.
    package func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try begin().finalOutcome(of: id)
    }

    func begin() throws(StoreError) -> SQLiteSaveTransaction {
        guard !request.isReadOnly else { throw .readOnly(request.location) }
        guard !isClosed else { throw .closed(request.location) }
        let lock = try WriterLock(of: session, timeout: options.timeout)
        guard let writer = try takeWriter(lock) else { throw .closed(request.location) }
        // If the transaction cannot begin, it ends as usual: it returns the connection, then the
        // lock.
        return try SQLiteSaveTransaction(of: self, lock: lock, writer: writer)
    }

    /// Copies the `-wal` into the file if the store is not open elsewhere, so that the file alone
    /// can be copied. If a save is under way, this happens when that save ends.
    ///
    /// - Throws: `.corrupt` or `.engineFailure`. The store is closed even if this method throws.
    package func close() throws(StoreError) {
        let (wasClosed, writer) = state.withLock { state in
            defer { (state.isClosed, state.writer) = (true, .taken) }
            return (state.isClosed, state.writer)
        }
        guard !wasClosed else { return }
        let observer = readers.close()
        if request.isReadOnly {
            observer?.close()
            return session.end()
        }
        var last = observer
        switch writer {
        case .unopened: break
        case .idle(let writer):
            observer?.close()
            last = writer.connection
        case .taken:
            // A save that is under way uses the connection, and finishes closing when it ends.
            observer?.close()
            return
        case .copyingLog:
            observer?.close()
            // The copy finishes closing when it ends.
            _ = try? WriterLock(of: session, timeout: options.timeout)
            return
        }
        // If another process keeps the lock, copying the log is left to the last user that closes.
        let lock = try? WriterLock(of: session, timeout: options.timeout)
        try finish(last, hasLock: lock != nil)
    }

    /// Closes the last connection of a closed store.
    private func finish(_ connection: SQLiteConnection?, hasLock: Bool) throws(StoreError) {
        let failure = hasLock ? connection.flatMap(tidy) : nil
        connection?.close()
        session.end()
        if let failure { throw failure }
    }

    /// Copies the log and lets SQLite remove it, so that the last user leaves a single file, which
    /// can be copied.
    ///
    /// Checkpoints write through descriptors, so they reach the file that was opened, even if it
    /// was moved. But SQLite removes the log by its name, which by then may belong to another
    /// file's log. Therefore the names are checked first.
    private func tidy(_ connection: SQLiteConnection) -> StoreError? {
        do {
            let isWhole = try Checkpoint(connection: connection).truncateLogBeforeClosing()
            if isWhole { removeObsoleteFiles() }
            if (try? session.requireFiles()) != nil { try connection.enableCleanupOnClose() }
            return nil
        } catch {
            return error
        }
    }
}

// MARK: For the save that has the lock

extension SQLiteStore {
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Returns the connection for saves, and opens it for the first save. Returns `nil` if the
    /// store is closed.
    private func takeWriter(_ lock: WriterLock) throws(StoreError) -> SQLiteWriter? {
        let writer = state.withLock { state in
            defer { state.writer = .taken }
            return state.writer
        }
        switch writer {
        case .taken, .copyingLog: return nil
        case .idle(let writer): return writer
        case .unopened: break
        }
        do {
            return try StoreConnections(
                session: session, options: options, deadline: lock.deadline
            ).writer(lock)
        } catch {
            if (try? session.requireFiles()) == nil { readers.emptyLogAfterLossOfName() }
            takeBack(.unopened, nil)
            throw error
        }
    }

    /// Returns the connection for saves, to copy the log between two saves. Returns `nil` if the
    /// connection is not open, or if the store is closed.
    ///
    /// - Precondition: The caller holds the writer lock, and calls ``takeBack(_:)`` before it
    ///   releases the lock.
    func takeWriterToCopyLog() -> SQLiteWriter? {
        state.withLock { state in
            guard case .idle(let writer) = state.writer else { return nil }
            state.writer = .copyingLog
            return writer
        }
    }

    /// Takes back the connection of a save that has ended.
    ///
    /// - Precondition: The caller still holds the writer lock.
    func takeBack(_ writer: SQLiteWriter) { takeBack(.idle(writer), writer.connection) }

    private func takeBack(_ writer: Writer, _ connection: SQLiteConnection?) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.writer = writer }
            return state.isClosed
        }
        // The saved data is safe. If the log cannot be copied now, the last user that closes does
        // it.
        if isClosed { try? finish(connection, hasLock: true) }
    }

    /// Returns the table and columns of the entity's root.
    ///
    /// - Throws: `.unsupported` if the store does not hold the entity.
    func rootSchema(of number: EntityNumber) throws(StoreError) -> EntitySchema {
        let root = request.model.entity(numbered: number)?.rootEntity.number ?? number
        if let found = schema.map.schema(of: root) { return found }
        let name = request.model.entity(numbered: number)?.name ?? "number \(number.rawValue)"
        throw .unsupported(
            request.location, feature: "no entity \(name)",
            advice: "Save its objects in a store whose configuration includes the entity.")
    }

    func lastReservedKey(of root: EntityNumber) -> Int64 {
        state.withLock { $0.reservedKeys[root] ?? 0 }
    }

    func noteReservedKey(_ key: Int64, of root: EntityNumber) {
        state.withLock { $0.reservedKeys[root] = max($0.reservedKeys[root] ?? 0, key) }
    }

    /// The number of bytes in obsolete external files at which a save starts a checkpoint.
    private static let obsoleteByteLimit = 16 << 20

    var obsoleteFiles: Set<String> { state.withLock(\.obsoleteFiles) }

    /// Notes external files that no row refers to after a commit. Returns whether they are so large
    /// that a checkpoint is wanted, after which they can be removed.
    func noteObsoleteFiles(_ names: Set<String>) -> Bool {
        let byteCount = names.reduce(0) { $0 + files.externalData.byteCount(ofFileNamed: $1) }
        return state.withLock { state in
            state.obsoleteFiles.formUnion(names)
            state.obsoleteByteCount += byteCount
            return state.obsoleteByteCount > Self.obsoleteByteLimit
        }
    }

    /// Removes the obsolete external files.
    ///
    /// - Precondition: The caller holds the writer lock, and a checkpoint after the last commit has
    ///   copied the whole log.
    func removeObsoleteFiles() {
        let obsolete = state.withLock { state in
            defer { (state.obsoleteFiles, state.obsoleteByteCount) = ([], 0) }
            return state.obsoleteFiles
        }
        files.externalData.remove(obsolete)
    }
}

extension SQLiteStore {
    /// `false` if the store was opened with the option `synchronous` set to `NORMAL`.
    package var commitsDurably: Bool { options.synchronous == .full }

    /// Waits until the write-ahead log is on the medium. A store without a log needs no waiting,
    /// because each of its commits is synchronized.
    ///
    /// - Throws: `.closed` or `.fileFailure`.
    package func synchronize() throws(StoreError) {
        if isClosed { throw .closed(request.location) }
        do {
            // SQLite takes no locks on the log, so closing this descriptor releases none.
            try PosixFile.sync(files.journal)
        } catch {
            if error.code != ENOENT { throw .fileFailure(error) }
        }
    }
}
