import CairnEngineKit
import CairnFiles
import CairnModel
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// A store in one LMDB file: packed rows by key, with indexes. Any number of processes may share
/// it.
///
/// The format is described in docs/formats/lmdb.md. For the options, see ``LMDBStore/durability``
/// and its siblings. Readers and the writer never wait for each other. LMDB maps the file, so it
/// must be in a trusted folder on a local file system, other programs must not truncate it while it
/// is open, and an open store must not be used in a forked child.
package final class LMDBStore: FileStore, SelfCheckingStore, HistoryStore {
    /// `"LMDB"`.
    package static let type: StoreType = "LMDB"

    /// The capabilities of the engine: all values are read back unchanged, readers continue during
    /// a save, and several processes may use the store.
    package static let capabilities = StoreCapabilities(
        isDurable: true, readsDuringSave: true, isShared: true, groupsSaves: true,
        savesInParts: true,
        namedSaves: .remembered, options: LMDBOptions.all)

    /// The number in the IDs of this store's objects.
    package let number: StoreNumber
    /// The request that opened the store.
    package let request: OpenRequest
    let options: LMDBOptions
    /// The attributes that a save computes.
    let derivedAttributes: DerivedAttributes
    let historyCodec: HistoryCodec
    /// The open file, or `nil` after the store was closed.
    private let file: Mutex<OpenFile?>

    private init(
        _ request: OpenRequest, _ options: LMDBOptions, _ derivedAttributes: DerivedAttributes,
        number: StoreNumber, identifier: String, file: OpenFile
    ) {
        self.request = request
        self.options = options
        self.derivedAttributes = derivedAttributes
        self.number = number
        historyCodec = HistoryCodec(request.model, store: number, storeID: identifier)
        self.file = Mutex(file)
    }

    // MARK: Files

    /// `"an LMDB store"`.
    package static let fileDescription = "an LMDB store"

    /// Returns whether the file is an LMDB file with this engine's metadata table. Reads a few
    /// pages.
    package static func recognizes(_ location: StoreLocation) -> Bool {
        guard let url = location.fileURL else { return false }
        return LMDBOpening.isStore(url)
    }

    /// LMDB's lock file, which is created again when needed.
    package static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        guard let url = location.fileURL else { return [] }
        // The lock file is next to the file that a symbolic link leads to.
        return [
            StoreFile(
                URL(fileURLWithPath: ReaderTableFile(ofFileAt: url.followingLinks.path).path),
                .scratch)
        ]
    }

    /// Reads a store's metadata. If this process already has the file open, its environment is
    /// used.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.unsupported` for a later format, `.corrupt`,
    ///   `.fileFailure` or `.engineFailure`.
    package static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try LMDBOpening.read(location) { record throws(StoreError) in try record.metadata() }
    }

    /// Reads the model that the store was created with. Every store contains its model.
    ///
    /// - Throws: The errors of ``metadata(at:)``.
    package static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try LMDBOpening.read(location) { record throws(StoreError) in try record.model() }
    }

    // MARK: Durability

    /// `false` if the store was opened with relaxed ``durability``.
    package var commitsDurably: Bool { !options.isRelaxed }

    /// Waits until the file is on the medium.
    ///
    /// - Throws: `.closed` or `.fileFailure`.
    package func synchronize() throws(StoreError) {
        try checkOpen()
        guard let url = request.location.fileURL else { return }
        // LMDB's locks are on another file, so closing a descriptor of this file releases none.
        try StoreError.onFiles(try PosixFile.sync(RealPath.of(url.path)))
    }

    // MARK: Opening

    /// Opens a store. If the store does not exist and the request allows it, creates the store
    /// atomically.
    ///
    /// If the store lacks an index that the model asks for, the index is created from all rows.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.modelMismatch`, `.invalidOption`, `.unsupported`,
    ///   `.hardLinked` unless the request is read-only, `.locked`, `.busy` if an index has to be
    ///   created while others save, `.corrupt`, `.fileFailure` or `.engineFailure`.
    package static func open(_ request: OpenRequest) throws(StoreError) -> LMDBStore {
        let options = try LMDBOptions(request.options)
        // Check this first, so that no file is created that could not be saved to.
        let derived =
            request.isReadOnly
            ? .none : try DerivedAttributes(request.model, at: request.location)
        let opener = LMDBOpening(request, options)
        let (use, metadata) = try opener.use()
        let tables = try opener.tables(use.environment)
        let number = StoreDirectory.shared.number(
            identifier: metadata.identifier, location: request.location, model: request.model)
        return LMDBStore(
            request, options, derived, number: number, identifier: metadata.identifier,
            file: try OpenFile(use, tables, at: request.location))
    }

    func checkOpen() throws(StoreError) { _ = try openFile() }

    private func openFile() throws(StoreError) -> OpenFile {
        guard let file = file.withLock({ $0 }) else { throw .closed(request.location) }
        return file
    }

    /// Calls the body with the open file. If a failed write has made the file's environment
    /// unusable, opens the file again, which ends all held snapshots, and calls the body a second
    /// time.
    private func withFile<Result>(
        _ body: (OpenFile) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let known = try openFile()
        do {
            return try body(known)
        } catch {
            guard known.use.environment.isUnusable else { throw error }
        }
        let reopened = try known.reopened(for: request, options)
        file.withLock { if $0 != nil { $0 = reopened } }
        return try body(reopened)
    }

    /// Closes the store. The file stays mapped until the last snapshot is released.
    package func close() throws(StoreError) { file.withLock { $0 = nil } }

    // MARK: Reading

    /// Returns the store's current metadata.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt` or `.engineFailure`.
    package func metadata() throws(StoreError) -> StoreMetadata {
        try withFile { file throws(StoreError) in
            try file.read { transaction throws(StoreError) in
                try StoreRecord(transaction: transaction, table: file.tables.metadata).metadata()
            }
        }
    }

    /// Returns a snapshot of the newest committed state. It is a read transaction, and the pages of
    /// its state cannot be reused until it is released.
    ///
    /// If a commit fails at its last write, the file may have to be opened again. This ends the
    /// snapshot: reading it throws `.engineFailure` from then on. A new snapshot can be taken.
    ///
    /// - Throws: `.closed`, `.busy` if all slots for snapshots are in use, or `.engineFailure`.
    package func snapshot() throws(StoreError) -> any StoreSnapshot {
        try withFile { file throws(StoreError) in
            LMDBSnapshot(
                try file.use.environment.beginRead(), file.use, file.tables, store: self)
        }
    }

    /// Takes a snapshot, whose pages can be copied from the file.
    ///
    /// - Throws: `.closed`; `.busy` if all slots for snapshots are in use, or if others save all the
    ///   time; `.fileReplaced`, `.fileFailure` or `.engineFailure`.
    package func stateToCopy() throws(StoreError) -> (any StateToCopy)? {
        // Two saves since the snapshot was taken have overwritten its meta page.
        for _ in 0..<100 {
            let state = try withFile { file throws(StoreError) in
                let snapshot = LMDBSnapshot(
                    try file.use.environment.beginRead(), file.use, file.tables, store: self)
                return try LMDBStateToCopy(snapshot, of: file.use.environment)
            }
            if let state { return state }
        }
        throw .busy(request.location, waited: .zero)
    }

    /// Compares every index, link, pair and unique value with the rows, and the rows with their
    /// checksums.
    ///
    /// Meanwhile, saves in this process that need a larger map have to wait.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt` if a table cannot be read, or `.engineFailure`.
    package func findDisagreements() throws(StoreError) -> [StoreDisagreement] {
        try withFile { file throws(StoreError) in
            try file.read { transaction throws(StoreError) in
                var verifier = TableVerifier(tables: file.tables, transaction: transaction)
                return try verifier.verify()
            }
        }
    }

    // MARK: Saving

    /// Begins a save and takes the write lock, which also excludes other processes.
    ///
    /// The save checks the file's name when it begins, before its commit and after it. It is
    /// acknowledged only if the file had the store's name after the commit.
    ///
    /// - Throws: `.closed`, `.readOnly`, `.busy` after the `timeout`, `.cancelled`, `.fileRemoved`,
    ///   `.fileReplaced`, `.hardLinked`, `.fileFailure` or `.engineFailure`.
    package func beginSave() throws(StoreError) -> any SaveTransaction { try begin() }

    /// Returns whether a named save was committed. Opens the file again after a failed write, and
    /// commits, so that the remains of the failed write have no effect.
    ///
    /// - Throws: The errors of ``beginSave()``; `.commitOutcomeUnknown`.
    package func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try begin().finalOutcome(of: id)
    }

    private func begin() throws(StoreError) -> LMDBSaveTransaction {
        let known = try openFile()
        if request.isReadOnly { throw .readOnly(request.location) }
        let environment = known.use.environment
        if environment.isReadOnly {
            // If the file has a second name, that is the more helpful reason.
            try known.requireOnlyName()
            try ReaderTableFile(ofFileAt: environment.path).requireWritable(at: request.location)
            throw .readOnly(request.location)
        }
        let locks = environment.locks
        try locks.takeWriteLock(waitingAtMost: options.busyTimeout)
            .requireTaken(request.location, waited: options.busyTimeout)
        do {
            let (transaction, file) = try beginWrite()
            return LMDBSaveTransaction(transaction, in: file, store: self)
        } catch {
            locks.releaseWriteLock()
            throw error
        }
    }

    /// Begins a write transaction, with the newest tables.
    ///
    /// - Precondition: The caller holds the file's write lock.
    func beginWrite() throws(StoreError) -> (LMDBTransaction, OpenFile) {
        try withFile { known throws(StoreError) in
            try known.requireOnlyName()
            // Another process may have added an index, which every save must then keep up to date.
            let newest = try known.withNewestTables(for: request)
            if newest.tables !== known.tables {
                file.withLock { if $0?.use === known.use { $0 = newest } }
            }
            let environment = newest.use.environment
            return (try environment.beginWrite(isRelaxed: options.isRelaxed), newest)
        }
    }
}

// MARK: History

extension LMDBStore {
    /// Returns the position of the newest transaction.
    ///
    /// - Throws: `.closed`, `.historyUnavailable`, `.busy`, `.corrupt` or `.engineFailure`.
    package func newestHistoryPosition() throws(StoreError) -> HistoryPosition? {
        try withHistory { history throws(StoreError) in try history.newest() }
    }

    /// Reads transactions, each of which is in memory as a whole.
    ///
    /// - Throws: `.closed`, `.historyUnavailable`, `.busy`, `.corrupt` or `.engineFailure`.
    package func history(
        after position: HistoryPosition?, limit: Int
    ) throws(StoreError) -> [PersistentHistoryTransaction] {
        try withHistory { history throws(StoreError) in
            try history.transactions(after: position, limit: limit)
        }
    }

    private func withHistory<Result>(
        _ body: (HistoryTable) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try withFile { file throws(StoreError) in
            try file.read { transaction throws(StoreError) in
                try body(try historyTable(file, transaction))
            }
        }
    }

    private func historyTable(
        _ file: OpenFile, _ transaction: LMDBTransaction
    ) throws(StoreError) -> HistoryTable {
        guard let table = file.tables.history else {
            throw .historyUnavailable(request.location, .notTracked)
        }
        return HistoryTable(table, transaction, historyCodec)
    }

    /// Removes transactions, in several steps if there are many, between which others can save.
    ///
    /// - Throws: the errors of ``beginSave()``; `.historyUnavailable`.
    package func purgeHistory(before position: HistoryPosition) throws(StoreError) {
        while try purgeStep(before: position) {}
    }

    /// Removes some of the transactions before a position. Returns whether there may be more.
    private func purgeStep(before position: HistoryPosition) throws(StoreError) -> Bool {
        let save = try begin()
        defer { save.rollback() }
        return try save.changeHistory { file, transaction throws(StoreError) in
            try historyTable(file, transaction).removeSome(before: position)
        }
    }

    /// Adds transactions of another store.
    ///
    /// - Throws: the errors of ``beginSave()``; `.historyUnavailable`, `.keysExhausted`.
    package func addHistory(_ transactions: [PersistentHistoryTransaction]) throws(StoreError) {
        let save = try begin()
        defer { save.rollback() }
        try save.changeHistory { file, transaction throws(StoreError) in
            let history = try historyTable(file, transaction)
            for transaction in transactions { try history.append(transaction) }
        }
    }
}
