import CairnModel
import CairnStore
import Foundation
import Synchronization

/// A store that a person can read: a folder with a JSON file for each object, type `"Folder"`.
///
/// Loaded whole when it is opened; one handle at a time. Survives its process, not a power cut.
/// Takes the option `timeout` (seconds that a save waits for others; 5).
public final class FolderStore: PersistentStore {
    /// `"Folder"`.
    public static let type: StoreType = "Folder"
    /// One handle at a time; no composites.
    public static let capabilities = StoreCapabilities(
        isDurable: true, isAtomic: false, readsDuringSave: true, isShared: false,
        fidelity: [.composite: .none], options: [.timeout])

    /// What the store was opened with.
    public let request: OpenRequest
    /// The number in its objects' IDs.
    public let number: StoreNumber
    let files: FolderFiles
    private let timeout: Double
    private let writers = DispatchSemaphore(value: 1)
    private let current: Mutex<FolderState?>

    /// Whether a folder with a sound `store.json` is there.
    public static func recognizes(_ location: StoreLocation) -> Bool {
        (try? FolderFiles(location).index()) != nil
    }

    /// Reads `store.json` alone.
    public static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try FolderFiles(location).index().metadata
    }

    /// nil: a folder store keeps no model.
    public static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        _ = try FolderFiles(location).index()
        return nil
    }

    /// None: everything is in the folder.
    public static func companionFiles(of location: StoreLocation) -> [StoreFile] { [] }

    /// Reads every object.
    public static func open(_ request: OpenRequest) throws(StoreError) -> FolderStore {
        try FolderStore(request)
    }

    private init(_ request: OpenRequest) throws(StoreError) {
        timeout = try Self.timeout(request.options)
        if request.model.entities.contains(where: \.hasDerivedAttribute) {
            throw .unsupported(
                request.location, feature: "a derived attribute", advice: "Use another engine.")
        }
        self.request = request
        files = try FolderFiles(request.location)
        if !files.exists {
            guard request.createsMissing, !request.isReadOnly else {
                throw .notFound(request.location)
            }
            try request.location.requireFolder()
            try files.create(request.model, configuration: request.configuration)
        }
        let index = try files.index()
        guard
            let differences = try? request.model.differences(
                from: index.metadata.entityVersionHashes, configuration: request.configuration)
        else {
            throw .unsupported(
                request.location, feature: "no such configuration", advice: "Name another one.")
        }
        if !differences.isEmpty {
            throw .modelMismatch(request.location, differences: differences)
        }
        try files.lock(forReading: request.isReadOnly)
        number = StoreDirectory.shared.number(
            identifier: index.identifier, location: request.location, model: request.model)
        guard let pairs = index.pairs(request.model, number) else {
            throw .corrupt(request.location, place: "store.json", detail: "a pair of nothing")
        }
        let rows = try files.load(index, request.layouts, number)
        current = Mutex(FolderState(index: index, rows: rows, pairs: pairs))
    }

    private static func timeout(_ options: StoreOptions) throws(StoreError) -> Double {
        for (option, value) in options {
            switch (option, value) {
            case (.timeout, .real(let seconds)) where seconds >= 0: return seconds
            case (.timeout, .integer(let seconds)) where seconds >= 0: return Double(seconds)
            default: throw .invalidOption(option, detail: "a folder takes “timeout”, in seconds")
            }
        }
        return 5
    }

    func state() throws(StoreError) -> FolderState {
        guard let state = current.withLock({ $0 }) else { throw .closed(request.location) }
        return state
    }

    /// What `store.json` says.
    public func metadata() throws(StoreError) -> StoreMetadata { try state().index.metadata }

    /// A copy of the state, which costs nothing.
    public func snapshot() throws(StoreError) -> any StoreSnapshot {
        FolderSnapshot(try state(), of: self)
    }

    /// Waits for other saves of this handle; there are no other handles.
    public func beginSave() throws(StoreError) -> any SaveTransaction {
        if request.isReadOnly { throw .readOnly(request.location) }
        let state = try state()
        guard writers.wait(timeout: .now() + timeout) == .success else {
            throw .busy(request.location, waited: .seconds(timeout))
        }
        return FolderSave(of: self, from: (try? self.state()) ?? state)
    }

    /// Lets other handles in.
    public func close() throws(StoreError) {
        current.withLock { $0 = nil }
        files.unlock()
    }

    // MARK: For the save that has the write lock

    func publish(_ state: FolderState) { current.withLock { if $0 != nil { $0 = state } } }
    func endSave() { writers.signal() }
}

/// One save: what it prepares is a new state, and its commit is the renaming of one file.
final class FolderSave: SaveTransaction {
    private let store: FolderStore
    private var state: FolderState
    private var isOpen = true
    private var isPrepared = false

    init(of store: FolderStore, from state: FolderState) {
        self.store = store
        self.state = state
    }

    deinit { rollback() }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        try checkOpen()
        var ranges: [EntityNumber: Range<Int64>] = [:]
        var keys = try store.files.keys()
        for (number, count) in counts where count > 0 {
            guard let root = store.request.model.entity(numbered: number)?.rootEntity else {
                continue
            }
            let last = max(keys[root.name] ?? 0, state.highestKey(root.number))
            let (end, overflows) = last.addingReportingOverflow(Int64(count))
            guard !overflows, end < .max else { throw .keysExhausted(entity: root.name) }
            keys[root.name] = end
            ranges[number] = last + 1..<end + 1
        }
        try store.files.write(keys)
        return ranges
    }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        try checkOpen()
        try state.apply(request, in: store)
        let rows = request.updated.map(\.row) + request.inserted.rows
        try store.files.writeObjects(rows, store.request.layouts)
        try keepKeys(of: request.inserted)
        isPrepared = true
    }

    /// Keys that a copy of another store brings count as given.
    private func keepKeys(of rows: RowBatch) throws(StoreError) {
        let known = try store.files.keys()
        var keys = known
        for row in rows.rows {
            guard let root = store.request.model.entity(numbered: row.rootEntity) else { continue }
            keys[root.name] = max(keys[root.name] ?? 0, row.key)
        }
        if keys != known { try store.files.write(keys) }
    }

    func commit() throws(StoreError) -> SaveOutcome {
        try checkOpen()
        guard isPrepared else { throw .closed(store.request.location) }
        try store.files.write(state.index)
        store.publish(state)
        store.files.removeObjects(notIn: state.index)
        end()
        return SaveOutcome(generation: StoreGeneration(state.index.generation))
    }

    func rollback() {
        guard isOpen else { return }
        if let state = try? store.state() { store.files.removeObjects(notIn: state.index) }
        end()
    }

    private func end() {
        isOpen = false
        store.endSave()
    }

    private func checkOpen() throws(StoreError) {
        guard isOpen else { throw .closed(store.request.location) }
        _ = try store.state()
    }
}
