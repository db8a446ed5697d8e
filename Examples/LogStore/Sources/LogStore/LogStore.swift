import CairnFiles
import CairnModel
import CairnStore
import Foundation
import Synchronization

/// A store that is a log: each save appends one record to a file and waits until the medium has it.
///
/// The rows are in memory, by key. Opening the store reads the log from the start, and each snapshot
/// reads what was appended since. Option: `timeout`.
public final class LogStore: FileStore, SelfCheckingStore {
    /// `"Log"`.
    public static let type: StoreType = "Log"
    /// Every value comes back as it was, and readers never wait.
    public static let capabilities = StoreCapabilities(
        isDurable: true, readsDuringSave: true, isShared: true, namedSaves: .remembered,
        options: [.timeout])

    /// As it was given.
    public let request: OpenRequest
    /// The same for all handles of the process.
    public let number: StoreNumber
    let timeout: Duration
    /// The log, and the newest state that was read from it. `nil` once the store is closed.
    private let opened: Mutex<(log: LogFile, state: State)?>

    /// What the store has after the records before `end`.
    struct State {
        var content: StoreContent
        var end: Int
    }

    /// Opens the log, or creates one with one record, and reads it.
    public static func open(_ request: OpenRequest) throws(StoreError) -> LogStore {
        try request.options.requireKnown(capabilities.options, by: "a log store")
        let timeout = try request.options.timeout()
        // What cannot be kept is refused before a file is made.
        _ = try StoreContent(request, of: type, store: StoreNumber(rawValue: 1))
        let log: LogFile
        do throws(StoreError) {
            log = try LogFile(request.location, isReadOnly: request.isReadOnly)
        } catch {
            guard case .notFound = error, request.createsMissing, !request.isReadOnly else {
                throw error
            }
            try request.location.requireFolder()
            try LogFile.create(
                request.location, ChangeRecord(creatingStoreFor: request))
            log = try LogFile(request.location, isReadOnly: false)
        }
        guard log.file.lock(isShared: true) else {
            throw .locked(request.location, holder: "whoever moves or removes it")
        }
        return try LogStore(request, log, timeout)
    }

    private init(
        _ request: OpenRequest, _ log: LogFile, _ timeout: Duration
    ) throws(StoreError) {
        self.request = request
        self.timeout = timeout
        let (records, end) = try log.records(from: 0)
        let metadata = ChangeRecord.metadata(of: records, type: Self.type)
        // Before the rows are read, which may be of entities that the model does not have.
        try CompatibilityCheck(request: request, stored: metadata.entityVersionHashes).run()
        number = StoreDirectory.shared.number(
            identifier: metadata.identifier, location: request.location, model: request.model)
        var content = try StoreContent(request, of: Self.type, store: number)
        for record in records { try content.apply(record) }
        opened = Mutex((log, State(content: content, end: end)))
    }

    // MARK: Reading

    /// Returns the state after the last record.
    public func snapshot() throws(StoreError) -> any StoreSnapshot {
        ContentSnapshot(try newestState().content, requireOpen: requireOpen)
    }

    /// Returns what all records say of the store.
    public func metadata() throws(StoreError) -> StoreMetadata {
        try newestState().content.metadata
    }

    /// Reads what was appended to the log since it was read last, by whatever process.
    func newestState() throws(StoreError) -> State {
        try opened.withLock { (opened) throws(StoreError) in
            guard case (let log, var state)? = opened else {
                throw .closed(request.location)
            }
            let (records, end) = try log.records(from: state.end)
            for record in records { try state.content.apply(record) }
            state.end = end
            opened = (log, state)
            return state
        }
    }

    // MARK: Saving

    /// Takes the savers' lock, and removes what a killed saver left.
    public func beginSave() throws(StoreError) -> any SaveTransaction { try begin() }

    /// Looks the save's name up under the savers' lock, so that no save is on its way.
    public func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        let save = try begin()
        defer { save.rollback() }
        return try save.outcome(of: id)
    }

    private func begin() throws(StoreError) -> LogSave {
        guard let log = opened.withLock({ $0?.log }) else { throw .closed(request.location) }
        if request.isReadOnly { throw .readOnly(request.location) }
        let lock = try FileLock.wait(
            at: LogFile.lockPath(of: log.file.path), timeout: timeout, for: request.location)
        try log.file.requireName(of: request.location)
        let base = try newestState()
        try log.cutOff(at: base.end)
        return LogSave(of: self, log, base, lock)
    }

    /// Makes a state that a save has appended the newest one, unless it was read meanwhile.
    func publish(_ state: State) {
        opened.withLock { opened in
            if let known = opened?.state.end, known <= state.end { opened?.state = state }
        }
    }

    /// Throws `.closed` once the store is closed.
    @Sendable func requireOpen() throws(StoreError) {
        if opened.withLock({ $0 == nil }) { throw .closed(request.location) }
    }

    /// Closes the file.
    public func close() { opened.withLock { $0 = nil } }
}

/// What is asked of a store that is not open.
extension LogStore {
    /// What errors call a log.
    public static let fileDescription = "a log store"

    /// Whether the file begins with a log's mark.
    public static func recognizes(_ location: StoreLocation) -> Bool {
        (try? FileBeginning(of: location))?.begins(with: LogFile.mark) ?? false
    }

    /// Reads the records without their rows.
    public static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        let records = try LogFile(location, isReadOnly: true).records(from: 0).records
        return ChangeRecord.metadata(of: records, type: type)
    }

    /// Returns `nil`: the log contains hashes of entities, and no model.
    public static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        _ = try metadata(at: location)
        return nil
    }

    /// The file of the savers' lock.
    public static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        guard let path = location.fileURL?.path else { return [] }
        return [StoreFile(URL(fileURLWithPath: LogFile.lockPath(of: path)), .scratch)]
    }

    /// Keeps the file from being opened, which every open store shares.
    public static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let log = try LogFile(location, isReadOnly: true)
        guard log.file.lock(isShared: false) else {
            throw .locked(location, holder: "this process or another")
        }
        if let url = location.fileURL { GrowingFile.removeLeftovers(of: url) }
        defer { withExtendedLifetime(log) {} }
        return try body()
    }
}
