import CairnEngineKit
import CairnModel
import CairnStore
import Synchronization

/// A store that is a log: each save appends one record to a file and waits until it is on the medium.
///
/// The rows are in memory, with indexes. Opening the store reads the log from the start, and each snapshot
/// reads the records appended since. The store accepts the option `timeout`.
public final class LogStore: FileStore, SelfCheckingStore, ContentHistoryStore {
    /// `"Log"`.
    public static let type: StoreType = "Log"
    private static let mark = Array("CairnLog".utf8)
    /// The engine preserves every value exactly, and readers never wait.
    public static let capabilities = StoreCapabilities(
        isDurable: true, readsDuringSave: true, isShared: true, namedSaves: .remembered,
        options: [.timeout, .tracksHistory])

    /// The request with which the store was opened.
    public let request: OpenRequest
    /// The number of the store, which all instances in the process share.
    public let number: StoreNumber
    let timeout: Duration
    /// The log and the newest state read from it, or `nil` after the store was closed.
    private let opened: Mutex<(log: RecordFile, state: State)?>

    /// The content of the store after the records before `end`.
    struct State {
        var content: StoreContent
        var end: Int
    }

    /// Opens the log, or creates one with a single record, and reads it.
    public static func open(_ request: OpenRequest) throws(StoreError) -> LogStore {
        try request.options.requireKnown(capabilities.options, by: "a log store")
        let timeout = try request.options.timeout()
        let log: RecordFile
        do {
            log = try file(at: request.location, isReadOnly: request.isReadOnly)
        } catch {
            guard case .notFound = error, request.createsMissing, !request.isReadOnly else {
                throw error
            }
            // Refuses a model that cannot be stored before a file is created.
            let record = try ChangeRecord(creatingStoreFor: request)
            try request.location.requireFolder()
            try RecordFile.create(at: request.location, beginningWith: mark, record)
            log = try file(at: request.location, isReadOnly: false)
        }
        try log.lockWhileOpen()
        return try LogStore(request, log, timeout)
    }

    private init(
        _ request: OpenRequest, _ log: RecordFile, _ timeout: Duration
    ) throws(StoreError) {
        self.request = request
        self.timeout = timeout
        let (records, end) = try log.records()
        let content = try StoreContent(records, for: request, of: Self.type)
        number = content.number
        opened = Mutex((log, State(content: content, end: end)))
    }

    // MARK: Reading

    /// Returns a snapshot of the state after the last record.
    public func snapshot() throws(StoreError) -> any StoreSnapshot {
        try newestContent().snapshot(requireOpen: requireOpen)
    }

    /// Returns the metadata after the last record.
    public func metadata() throws(StoreError) -> StoreMetadata { try newestContent().metadata }

    /// Returns the content after the last record. It includes the history.
    public func newestContent() throws(StoreError) -> StoreContent { try newestState().content }

    /// Reads the records that any process has appended since the last read, and returns the resulting state.
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

    /// Returns the records that the file has now. They are never changed, so they can be copied later.
    public func stateToCopy() throws(StoreError) -> (any StateToCopy)? {
        LogRecords(of: self, end: try newestState().end)
    }

    fileprivate func copyRecords(upTo end: Int, to location: StoreLocation) throws(StoreError) {
        guard let log = opened.withLock({ $0?.log }) else { throw .closed(request.location) }
        try log.copy(recordsUpTo: end, to: location)
    }

    // MARK: Saving

    /// Takes the lock for saving, and removes anything that a killed process left.
    public func beginSave() throws(StoreError) -> any SaveTransaction { try begin() }

    /// Looks up the name of a save while holding the lock for saving, so that no save is in progress.
    public func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        let save = try begin()
        defer { save.rollback() }
        return try save.outcome(of: id)
    }

    private func begin() throws(StoreError) -> LogSave {
        guard let log = opened.withLock({ $0?.log }) else { throw .closed(request.location) }
        if request.isReadOnly { throw .readOnly(request.location) }
        let lock = try log.lockForSaving(timeout: timeout)
        let base = try newestState()
        try log.cutOff(at: base.end)
        return LogSave(of: self, log, base, lock)
    }

    /// Makes the state of an appended save the newest one, unless it was read in the meantime.
    func publish(_ state: State) {
        opened.withLock { opened in
            if let known = opened?.state.end, known <= state.end { opened?.state = state }
        }
    }

    /// Throws `.closed` if the store is closed.
    @Sendable func requireOpen() throws(StoreError) {
        if opened.withLock({ $0 == nil }) { throw .closed(request.location) }
    }

    /// Closes the file.
    public func close() { opened.withLock { $0 = nil } }
}

/// The records of a log up to an offset, to be copied to a new file.
private final class LogRecords: StateToCopy {
    private let store: LogStore
    private let end: Int

    init(of store: LogStore, end: Int) {
        self.store = store
        self.end = end
    }

    var byteCount: Int64 { Int64(end) }

    func write(
        to location: StoreLocation, reporting report: (Int64) throws(StoreError) -> Void
    ) throws(StoreError) {
        try report(0)
        try store.copyRecords(upTo: end, to: location)
    }
}

/// Inspections of a store that is not open.
extension LogStore {
    /// The description of a log in errors.
    public static let fileDescription = "a log store"

    /// Returns whether the file begins with a log's mark.
    public static func recognizes(_ location: StoreLocation) -> Bool {
        RecordFile.exists(at: location, beginningWith: mark)
    }

    /// Returns the metadata, which it reads without the rows.
    public static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        ChangeRecord.metadata(
            of: try file(at: location, isReadOnly: true).records().records, type: type)
    }

    /// Returns the lock file for saving.
    public static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        RecordFile.companionFiles(of: location)
    }

    /// Prevents the file from being opened, by taking a lock that every open store shares.
    public static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try file(at: location, isReadOnly: true).withExclusiveUse(body)
    }

    private static func file(
        at location: StoreLocation, isReadOnly: Bool
    ) throws(StoreError) -> RecordFile {
        try RecordFile(at: location, beginningWith: mark, of: type, isReadOnly: isReadOnly)
    }
}
