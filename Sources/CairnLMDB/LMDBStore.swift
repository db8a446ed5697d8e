import CairnFiles
import CairnModel
import CairnStore
import CairnThreads
import Foundation
import Synchronization

/// A store in one LMDB file: packed rows by key, with indexes; shared by any number of processes.
///
/// The format is in docs/formats/lmdb.md, the options are ``LMDBStore/durability`` and its
/// siblings. Readers and the writer never wait for each other. LMDB maps the file: it comes from a
/// trusted folder on a local file system, is not cut short by other programs while it is open, and
/// a store that was opened is not used in a forked child.
public final class LMDBStore: FileStore, SelfCheckingStore {
    /// `"LMDB"`.
    public static let type: StoreType = "LMDB"

    /// Every value comes back equal; readers go on during a save; other processes may take part.
    public static let capabilities = StoreCapabilities(
        isDurable: true, readsDuringSave: true, isShared: true, namedSaves: .remembered,
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
    /// `nil` once closed.
    private let file: Mutex<OpenFile?>

    private init(
        _ request: OpenRequest, _ options: LMDBOptions, _ derivedAttributes: DerivedAttributes,
        number: StoreNumber, file: OpenFile
    ) {
        self.request = request
        self.options = options
        self.derivedAttributes = derivedAttributes
        self.number = number
        self.file = Mutex(file)
    }

    // MARK: Files

    /// “An LMDB store”.
    public static let fileDescription = "an LMDB store"

    /// Whether the file is one of LMDB's with this engine's table in it. Reads a few pages.
    public static func recognizes(_ location: StoreLocation) -> Bool {
        guard let url = location.fileURL else { return false }
        return LMDBOpening.isStore(url)
    }

    /// LMDB's lock file, which is made again when needed.
    public static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        guard let url = location.fileURL else { return [] }
        return [StoreFile(URL(fileURLWithPath: url.path + "-lock"), .scratch)]
    }

    /// Sees every process that has the store open.
    ///
    /// - Throws: as ``CairnStore/FileStore/withExclusiveUse(of:_:)``.
    public static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard let url = location.fileURL else { return try body() }
        return try LMDBExclusiveUse(url: url).run(body)
    }

    /// Reads a store's metadata. If this process has the file open, reads through that.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.unsupported` for a later format, `.corrupt`,
    ///   `.fileFailure`, `.engineFailure`.
    public static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try LMDBOpening.read(location) { record throws(StoreError) in try record.metadata() }
    }

    /// Reads the model that the store was made with; every store has one.
    ///
    /// - Throws: as ``metadata(at:)``.
    public static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try LMDBOpening.read(location) { record throws(StoreError) in try record.model() }
    }

    // MARK: Durability

    /// `false` if the store was opened with relaxed ``durability``.
    public var commitsDurably: Bool { !options.isRelaxed }

    /// Waits until the medium has the file.
    ///
    /// - Throws: `.closed`, `.fileFailure`.
    public func synchronize() throws(StoreError) {
        try checkOpen()
        guard let url = request.location.fileURL else { return }
        do throws(FileFailure) {
            // LMDB's locks are on another file, so closing a descriptor of this one gives none back.
            try PosixFile.sync(RealPath.of(url.path))
        } catch {
            throw .fileFailure(error)
        }
    }

    // MARK: Opening

    /// Opens a store, and makes it, all or nothing, if there is none and the request allows that.
    ///
    /// A store that lacks an index of the model's gets it now, from all its rows.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.modelMismatch`, `.invalidOption`, `.unsupported`,
    ///   `.hardLinked` unless for reading, `.locked`, `.busy` if an index is to be made and
    ///   others save, `.corrupt`, `.fileFailure`, `.engineFailure`.
    public static func open(_ request: OpenRequest) throws(StoreError) -> LMDBStore {
        let options = try LMDBOptions(request.options)
        // Before a file is made that could not be saved to.
        let derived =
            request.isReadOnly
            ? .none : try DerivedAttributes(request.model, at: request.location)
        let opener = LMDBOpening(request, options)
        let (use, metadata) = try opener.use()
        let tables = try opener.tables(use.environment)
        let number = StoreDirectory.shared.number(
            identifier: metadata.identifier, location: request.location, model: request.model)
        return LMDBStore(
            request, options, derived, number: number,
            file: try OpenFile(use, tables, at: request.location))
    }

    /// - Throws: `.closed`.
    func checkOpen() throws(StoreError) { _ = try openFile() }

    private func openFile() throws(StoreError) -> OpenFile {
        guard let file = file.withLock({ $0 }) else { throw .closed(request.location) }
        return file
    }

    /// Calls the body with the open file. If a failed write has made the file's environment
    /// unusable, opens the file again, which ends the snapshots that are held, and calls the body
    /// once more.
    ///
    /// - Throws: `.closed`; what opening the file and the body throw.
    private func withFile<Result>(
        _ body: (OpenFile) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let known = try openFile()
        do throws(StoreError) {
            return try body(known)
        } catch {
            guard known.use.environment.isUnusable else { throw error }
        }
        let reopened = try known.reopened(for: request, options)
        file.withLock { if $0 != nil { $0 = reopened } }
        return try body(reopened)
    }

    /// Closes the store. The file stays mapped until the last snapshot is released.
    public func close() throws(StoreError) { file.withLock { $0 = nil } }

    // MARK: Reading

    /// Returns what the store says of itself now.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt`, `.engineFailure`.
    public func metadata() throws(StoreError) -> StoreMetadata {
        try withFile { file throws(StoreError) in
            try file.read { transaction throws(StoreError) in
                try StoreRecord(transaction: transaction, table: file.tables.metadata).metadata()
            }
        }
    }

    /// Returns the newest committed state: a read transaction, which keeps pages of that state from
    /// being used again until it is let go.
    ///
    /// A commit that fails at its last write may end the snapshot: the file is then opened again,
    /// and reading throws `.engineFailure` from then on. A new snapshot can be taken.
    ///
    /// - Throws: `.closed`, `.busy` if all slots for snapshots are taken, `.engineFailure`.
    public func snapshot() throws(StoreError) -> any StoreSnapshot {
        try withFile { file throws(StoreError) in
            LMDBSnapshot(
                try file.use.environment.beginRead(), file.use, file.tables, store: self)
        }
    }

    /// Compares every index, link, pair and unique value with the rows, and the rows with their
    /// checksums.
    ///
    /// Saves of this process that need a larger map wait meanwhile.
    ///
    /// - Throws: `.closed`, `.busy`, `.corrupt` if a table cannot be read, `.engineFailure`.
    public func findDisagreements() throws(StoreError) -> [StoreDisagreement] {
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
    /// The save looks at the file's name here, before its commit, and after it. Only a save whose
    /// file had the store's name after the commit is acknowledged.
    ///
    /// - Throws: `.closed`, `.readOnly`, `.busy` after the `timeout`, `.cancelled`, `.fileRemoved`,
    ///   `.fileReplaced`, `.hardLinked`, `.fileFailure`, `.engineFailure`.
    public func beginSave() throws(StoreError) -> any SaveTransaction { try begin() }

    /// Opens the file again after a failed write, and commits, so that what the failed write left
    /// counts for nothing.
    ///
    /// - Throws: as ``beginSave()``; `.commitOutcomeUnknown`.
    public func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try begin().finalOutcome(of: id)
    }

    private func begin() throws(StoreError) -> LMDBSaveTransaction {
        let known = try openFile()
        if request.isReadOnly { throw .readOnly(request.location) }
        let environment = known.use.environment
        if environment.isReadOnly {
            // A second name is the better reason.
            try known.requireOnlyName()
            throw .readOnly(request.location)
        }
        let writeLock = environment.writeLock
        try writeLock.take(waitingAtMost: options.busyTimeout)
            .requireTaken(request.location, waited: options.busyTimeout)
        do throws(StoreError) {
            let (transaction, file) = try beginWrite()
            return LMDBSaveTransaction(transaction, in: file, store: self)
        } catch {
            writeLock.give()
            throw error
        }
    }

    /// Begins to write, in the newest tables.
    ///
    /// - Precondition: the caller holds the file's write lock.
    /// - Throws: `.closed`, `.fileRemoved`, `.fileReplaced`, `.hardLinked`, `.corrupt`,
    ///   `.fileFailure`, `.engineFailure`.
    func beginWrite() throws(StoreError) -> (LMDBTransaction, OpenFile) {
        try withFile { known throws(StoreError) in
            try known.requireOnlyName()
            // Another process may have added an index, which every save has to keep from then on.
            let newest = try known.withNewestTables(for: request)
            if newest.tables !== known.tables {
                file.withLock { if $0?.use === known.use { $0 = newest } }
            }
            let environment = newest.use.environment
            return (try environment.beginWrite(isRelaxed: options.isRelaxed), newest)
        }
    }
}
