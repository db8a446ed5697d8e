import CairnModel
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// A store in Core Data's SQLite format: a real Core Data store opens, is written, and stays one.
///
/// Snapshots read in parallel and do not wait for a save. Several processes may have the store
/// open. Options: ``CairnStore/StoreOption/timeout`` (seconds; 5),
/// ``CairnStore/StoreOption/synchronous``, ``CairnStore/StoreOption/roundsValues``.
public final class SQLiteStore: FileStore, SelfCheckingStore {
    /// `"SQLite"`.
    public static let type: StoreType = "SQLite"

    /// Keeps what Core Data's columns keep: no NaN, no −0, decimals to 15 digits. Readers go on
    /// during a save, and other processes may have the store open.
    public static let capabilities = StoreCapabilities(
        isDurable: true, readsDuringSave: true, isShared: true, namedSaves: .remembered,
        fidelity: [
            .double: .partial("NaN is kept as nil, −0 as 0"),
            .float: .partial("NaN is kept as nil, −0 as 0"),
            .date: .partial("NaN is kept as nil, −0 as 0"),
            .decimal: .partial("kept with 15 digits, or as a 64-bit integer; NaN as nil"),
            .composite: .partial("one whose elements are all nil is kept as nil"),
        ],
        options: SQLiteOptions.all)

    /// The number in the IDs of this store's objects; the same again when the file is opened again.
    public let number: StoreNumber
    /// What the store was opened with, its location as it was given: links are not resolved in it.
    public let request: OpenRequest
    let files: SQLiteFiles
    let options: SQLiteOptions
    let schema: FetchSchema
    let uniqueColumns: UniqueColumns
    let orderColumns: OrderColumns
    /// The attributes that a save computes: those that no trigger of the store keeps.
    let derivedAttributes: DerivedAttributes
    /// The tables of persistent history. `nil` if the store keeps none.
    let history: HistoryTables?
    let readers: SQLiteReaderPool
    let session: FileSession
    private let state: Mutex<State>

    /// What the store said of itself when it was opened.
    private let openedMetadata: StoreMetadata

    /// The connection for saves.
    private enum Writer {
        /// The first save opens it: a program that only reads does not need it.
        case unopened
        case idle(SQLiteWriter)
        /// A save has it, or the store is closed or read-only.
        case taken
    }

    private struct State {
        var writer: Writer
        var isClosed = false
        var reservedKeys: [EntityNumber: Int64] = [:]
        /// External files that no row names and an older snapshot may.
        var obsoleteFiles: [String] = []
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
        history = opened.history
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
    /// “A SQLite database”.
    public static let fileDescription = "a SQLite database"

    /// True for every SQLite database: whether the tables are Core Data's shows when it is opened.
    public static func recognizes(_ location: StoreLocation) -> Bool {
        guard let files = try? SQLiteFiles(location) else { return false }
        return (try? FileSniffer(files: files).requireDatabase()) != nil
    }

    /// Reads `Z_METADATA` through a connection of its own, what is still in the `-wal` included.
    /// Leaves no file that was not there.
    ///
    /// - Throws: `.notFound`; `.notAStore`, also for a database without Core Data's tables;
    ///   `.unsupported`, where the location is no file; `.corrupt`, `.busy`, `.fileFailure`,
    ///   `.engineFailure`.
    public static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try StoreInspection.look(at: location) { (store) throws(StoreError) in
            try store.metadata()
        }
    }

    /// Reads the model that Core Data keeps in `Z_MODELCACHE`. Returns `nil` if the store has none,
    /// as older ones do not.
    ///
    /// - Throws: what ``metadata(at:)`` throws.
    public static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try StoreInspection.look(at: location) { (store) throws(StoreError) in
            try store.model()
        }
    }

    /// Counts by `Z_ENT`, under the names of the model inside the store; under those that
    /// `Z_PRIMARYKEY` lists if there is no model. Reads every root entity's table.
    ///
    /// - Throws: what ``metadata(at:)`` throws.
    public static func entityCounts(
        at location: StoreLocation
    ) throws(StoreError) -> [String: Int] {
        try StoreInspection.look(at: location) { (store) throws(StoreError) in
            try EntityCounter(inspection: store).counts()
        }
    }

    /// The `-wal`, a rollback journal and the folder of large values, which are data; the `-shm`
    /// and our `-lock`, which are not. Beside the file that a symbolic link leads to.
    public static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        (try? SQLiteFiles(location))?.companions ?? []
    }

    /// Brings the log over, and sees every program that has the store open through SQLite; one that
    /// reads a store without a log shows only while it reads.
    ///
    /// - Throws: as ``CairnStore/FileStore/withExclusiveUse(of:_:)``.
    public static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try SQLiteExclusiveUse(files: SQLiteFiles(location)).run(body)
    }

    /// Opens a store that Core Data wrote, or makes one in Core Data's schema.
    ///
    /// - Throws: what ``CairnStore/PersistentStore/open(_:)`` names, but not `.locked`; `.busy`.
    public static func open(_ request: OpenRequest) throws(StoreError) -> SQLiteStore {
        try SQLiteStore(SQLiteOpening(request))
    }
}

// MARK: Reading and saving

extension SQLiteStore {
    /// Reads `Z_METADATA` as other processes left it last. Asks only whether anybody has committed
    /// since the store was opened, if nobody has.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.engineFailure`.
    public func metadata() throws(StoreError) -> StoreMetadata {
        if try readers.newestGeneration() == SQLiteReaderPool.firstGeneration {
            return openedMetadata
        }
        return try readers.checkOut().withConnection { (connection) throws(StoreError) in
            try MetadataTable(connection: connection).read()
        }
    }

    /// Begins a read transaction on a connection of its own. While it is held the `-wal` cannot be
    /// brought over, and grows.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.engineFailure`.
    public func snapshot() throws(StoreError) -> any StoreSnapshot {
        SQLiteSnapshot(
            try readers.checkOut(), schema: schema, externalData: files.externalData)
    }

    /// Asks the connection that watches for commits; begins no transaction.
    ///
    /// - Throws: `.closed`, `.corrupt`, `.busy`, `.engineFailure`.
    public func newestGeneration() throws(StoreError) -> StoreGeneration {
        try readers.newestGeneration()
    }

    /// Waits for the lock file that all savers of the store take in turn, up to
    /// ``CairnStore/StoreOption/timeout``.
    ///
    /// - Throws: `.closed`; `.readOnly`, also where the lock file cannot be made; `.fileRemoved`,
    ///   `.fileReplaced`, `.hardLinked`; `.busy`, `.cancelled`, `.corrupt`, `.fileFailure`,
    ///   `.engineFailure`.
    public func beginSave() throws(StoreError) -> any SaveTransaction { try begin() }

    /// Writes to the log, so that nothing of a commit that failed can be found there later.
    ///
    /// - Throws: as ``beginSave()``; `.commitOutcomeUnknown`.
    public func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try begin().finalOutcome(of: id)
    }

    private func begin() throws(StoreError) -> SQLiteSaveTransaction {
        guard !request.isReadOnly else { throw .readOnly(request.location) }
        guard !isClosed else { throw .closed(request.location) }
        let lock = try WriterLock(of: session, timeout: options.timeout)
        guard let writer = try takeWriter(lock) else { throw .closed(request.location) }
        // One that does not begin ends as any other: it gives the connection back, then the lock.
        return try SQLiteSaveTransaction(of: self, lock: lock, writer: writer)
    }

    /// Brings the `-wal` over into the file where no one else has the store open, so that the file
    /// alone can be copied. A save under way ends first and then does that.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`; the store is closed all the same.
    public func close() throws(StoreError) {
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
            // A save that is under way has the connection, and tidies up when it ends.
            observer?.close()
            return
        }
        // Where another process does not leave the lock, the log is left to the next to close.
        let lock = try? WriterLock(of: session, timeout: options.timeout)
        try finish(last, hasLock: lock != nil)
    }

    /// Closes the last connection of a store that was closed.
    private func finish(_ connection: SQLiteConnection?, hasLock: Bool) throws(StoreError) {
        let failure = hasLock ? connection.flatMap(tidy) : nil
        connection?.close()
        if hasLock { removeExternalData([]) }
        session.end()
        if let failure { throw failure }
    }

    /// The last to close leaves one file, which can be copied.
    ///
    /// Checkpoints write through descriptors, so they reach the file that was opened, wherever it
    /// is. SQLite removes the log by its name, which must not be that of another file's log.
    private func tidy(_ connection: SQLiteConnection) -> StoreError? {
        do throws(StoreError) {
            try Checkpoint(connection: connection).beforeClose()
            if (try? session.requireFiles()) != nil { try connection.tidiesOnClose() }
            return nil
        } catch {
            return error
        }
    }
}

// MARK: For the save that has the lock

extension SQLiteStore {
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Returns the connection for saves, opened if it is the first save. Returns `nil` if the store is
    /// closed.
    private func takeWriter(_ lock: WriterLock) throws(StoreError) -> SQLiteWriter? {
        let writer = state.withLock { state in
            defer { state.writer = .taken }
            return state.writer
        }
        switch writer {
        case .taken: return nil
        case .idle(let writer): return writer
        case .unopened: break
        }
        do throws(StoreError) {
            return try StoreConnections(session: session, options: options).writer(lock)
        } catch {
            if (try? session.requireFiles()) == nil { readers.emptyLogAfterLossOfName() }
            takeBack(.unopened, nil)
            throw error
        }
    }

    /// Takes back the connection of a save that ended.
    ///
    /// - Precondition: the writer lock is still held.
    func takeBack(_ writer: SQLiteWriter) { takeBack(.idle(writer), writer.connection) }

    private func takeBack(_ writer: Writer, _ connection: SQLiteConnection?) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.writer = writer }
            return state.isClosed
        }
        // What was saved is safe; a log that cannot be brought over now is by the next to close.
        if isClosed { try? finish(connection, hasLock: true) }
    }

    /// Returns where the rows of the entity's root stand.
    ///
    /// - Throws: `.unsupported`, for an entity that the store does not hold.
    func rootSchema(of number: EntityNumber) throws(StoreError) -> EntitySchema {
        let root = request.model.entity(numbered: number)?.rootEntity.number ?? number
        if let found = schema.map.schema(of: root) { return found }
        let name = request.model.entity(numbered: number)?.name ?? "number \(number.rawValue)"
        throw .unsupported(
            request.location, feature: "no entity \(name)",
            advice: "Save its objects in a store whose configuration has it.")
    }

    func lastReservedKey(of root: EntityNumber) -> Int64 {
        state.withLock { $0.reservedKeys[root] ?? 0 }
    }

    func noteReservedKey(_ key: Int64, of root: EntityNumber) {
        state.withLock { $0.reservedKeys[root] = max($0.reservedKeys[root] ?? 0, key) }
    }

    /// Removes external files that no row names any more, once no snapshot may ask for them.
    func removeExternalData(_ names: [String]) {
        let canRemove = isClosed || !readers.hasReadersOut
        let obsolete = state.withLock { state in
            state.obsoleteFiles += names
            guard canRemove else { return [String]() }
            defer { state.obsoleteFiles = [] }
            return state.obsoleteFiles
        }
        for name in obsolete {
            if let file = files.externalData.file(named: name) { unlink(file.path) }
        }
    }
}
