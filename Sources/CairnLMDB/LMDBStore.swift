import CairnModel
import CairnStore
import Foundation
import Synchronization

/// A store in one LMDB file: packed rows by key, with indexes; shared by any number of processes.
///
/// The format is in docs/formats/lmdb.md, the options are ``LMDBStore/durability`` and its
/// siblings. Readers and the writer never wait for each other. LMDB maps the file: it comes from a
/// trusted folder on a local file system, is not cut short by other programs while it is open, and
/// a store that was opened is not used in a forked child.
public final class LMDBStore: PersistentStore {
    /// `"LMDB"`.
    public static let type: StoreType = "LMDB"

    /// Every value comes back equal; readers go on during a save; other processes may take part.
    public static let capabilities = StoreCapabilities(
        isDurable: true, isAtomic: false, readsDuringSave: true, isShared: true,
        options: LMDBOptions.all)

    /// Whether a power cut may undo saves that returned: `"full"` (default), it may not;
    /// `"relaxed"`, it may undo the last ones, each wholly. A process that dies loses nothing.
    public static let durability = LMDBOptions.durability
    /// How many bytes of the file to map at first, an integer from 1 MiB; the map grows as needed.
    /// Default: 1 GiB of addresses. The first to open a file in a process decides.
    public static let mapByteCount = LMDBOptions.mapByteCount
    /// How many snapshots all processes together may hold, an integer from 1 to 65536. Default:
    /// 512. The first to open a file decides.
    public static let readerCount = LMDBOptions.readerCount

    /// The number in the IDs of this store's objects.
    public let number: StoreNumber
    /// What the store was opened with.
    public let request: OpenRequest
    let options: LMDBOptions
    /// The attributes that a save computes.
    let derivedAttributes: DerivedAttributes
    private let state: Mutex<State?>

    /// What an open store has; nil once closed.
    private struct State {
        let use: LMDBEnvironmentUse
        var tables: StoreTables
    }

    private init(
        _ request: OpenRequest, _ options: LMDBOptions, _ derivedAttributes: DerivedAttributes,
        number: StoreNumber, use: LMDBEnvironmentUse, tables: StoreTables
    ) {
        self.request = request
        self.options = options
        self.derivedAttributes = derivedAttributes
        self.number = number
        state = Mutex(State(use: use, tables: tables))
    }

    // MARK: Files

    /// Whether the file is one of LMDB's with this engine's table in it. Reads a few pages.
    public static func recognizes(_ location: StoreLocation) -> Bool {
        guard let url = location.fileURL else { return false }
        return StoreOpener.isStore(url)
    }

    /// LMDB's lock file, which is made anew when needed.
    public static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        guard let url = location.fileURL else { return [] }
        return [StoreFile(URL(fileURLWithPath: url.path + "-lock"), .scratch)]
    }

    /// Sees every process that has the store open.
    ///
    /// - Throws: as ``CairnStore/PersistentStore/withExclusiveUse(of:_:)``.
    public static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard let url = location.fileURL else { return try body() }
        return try ExclusiveUse(url: url).run(body)
    }

    /// Reads a store's metadata; through the open file where this process has it open.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.unsupported` for a later format, `.corrupt`,
    ///   `.fileFailure`, `.engineFailure`.
    public static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try StoreOpener.read(location) { record throws(StoreError) in try record.metadata() }
    }

    /// Reads the model that the store was made with; every store has one.
    ///
    /// - Throws: as ``metadata(at:)``.
    public static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try StoreOpener.read(location) { record throws(StoreError) in try record.model() }
    }

    // MARK: Opening

    /// Opens a store, and makes it, all or nothing, where there is none and the request allows that.
    ///
    /// A store that lacks an index of the model's gets it now, from all its rows.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.modelMismatch`, `.invalidOption`, `.unsupported`,
    ///   `.busy` where an index is to be made and others save, `.corrupt`, `.fileFailure`,
    ///   `.engineFailure`.
    public static func open(_ request: OpenRequest) throws(StoreError) -> LMDBStore {
        let options = try LMDBOptions(request.options)
        // Before a file is made that could not be saved to.
        let derived =
            request.isReadOnly
            ? .none : try DerivedAttributes(request.model, at: request.location)
        let opener = StoreOpener(request, options)
        let (use, metadata) = try opener.use()
        let tables = try opener.tables(use.environment)
        let number = StoreDirectory.shared.number(
            identifier: metadata.identifier, location: request.location, model: request.model)
        return LMDBStore(request, options, derived, number: number, use: use, tables: tables)
    }

    /// - Throws: `.closed`.
    func checkOpen() throws(StoreError) { _ = try openState() }

    private func openState() throws(StoreError) -> State {
        guard let state = state.withLock({ $0 }) else { throw .closed(request.location) }
        return state
    }

    /// Ends the use of the store. The file stays mapped until the last snapshot is let go.
    public func close() throws(StoreError) { state.withLock { $0 = nil } }

    // MARK: Reading

    /// Returns what the store says of itself now.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    public func metadata() throws(StoreError) -> StoreMetadata {
        let state = try openState()
        let transaction = try state.use.environment.beginRead()
        return try state.use.environment.gate.use { () throws(StoreError) in
            defer { transaction.abort() }
            return try StoreRecord(transaction: transaction, table: state.tables.metadata)
                .metadata()
        }
    }

    /// Returns the newest committed state: a read transaction, which keeps pages of that state from
    /// being used again until it is let go.
    ///
    /// - Throws: `.closed`, `.busy` where all places for snapshots are taken, `.engineFailure`.
    public func snapshot() throws(StoreError) -> any StoreSnapshot {
        let state = try openState()
        return LMDBSnapshot(
            try state.use.environment.beginRead(), store: self, tables: state.tables,
            use: state.use)
    }

    /// Compares every index, link, pair and unique value with the rows, and these with their
    /// checksums.
    ///
    /// Saves of this process that need a larger map wait meanwhile.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt` where a table cannot be read, `.engineFailure`.
    public func findDisagreements() throws(StoreError) -> [StoreDisagreement] {
        let state = try openState()
        let transaction = try state.use.environment.beginRead()
        return try state.use.environment.gate.use { () throws(StoreError) in
            defer { transaction.abort() }
            var verifier = TableVerifier(tables: state.tables, transaction: transaction)
            return try verifier.verify()
        }
    }

    // MARK: Saving

    /// Takes the write lock, that of other processes included, and begins a save.
    ///
    /// - Throws: `.closed`, `.readOnly`, `.busy` after the `timeout`, `.fileFailure`,
    ///   `.engineFailure`.
    public func beginSave() throws(StoreError) -> any SaveTransaction {
        let state = try openState()
        let environment = state.use.environment
        guard !request.isReadOnly, !environment.isReadOnly else {
            throw .readOnly(request.location)
        }
        guard try environment.writeLock.take(waitingAtMost: options.busyTimeout) else {
            throw .busy(request.location, waited: options.busyTimeout)
        }
        do throws(StoreError) {
            let tables = try currentTables(environment)
            return LMDBSaveTransaction(
                try environment.beginWrite(isRelaxed: options.isRelaxed), store: self,
                tables: tables, use: state.use)
        } catch {
            environment.writeLock.give()
            throw error
        }
    }

    /// Another process may have added an index, which every save has to keep from then on.
    private func currentTables(_ environment: LMDBEnvironment) throws(StoreError) -> StoreTables {
        let known = try openState().tables
        let layouts = request.layouts
        let tables = try environment.openTables { transaction throws(StoreError) in
            let count = try transaction.table(nil, .bytes).map { main throws(StoreError) in
                try transaction.count(of: main)
            }
            if count == known.fileTableCount { return known }
            return try StoreTablesBuilder(layouts, transaction, makes: .none).build()
        }
        if tables !== known { state.withLock { $0?.tables = tables } }
        return tables
    }
}
