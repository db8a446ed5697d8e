import CairnModel
import CairnRows
import CairnStore
import CairnThreads
import Synchronization

/// The state and the write lock of a store that is held in memory as a whole.
///
/// If the store has a file, each save writes the whole file again, and the saves of other processes
/// are read before the store is used.
///
/// A ``WholeStoreEngine`` has one of these objects for each open store.
public final class AtomicStore: Sendable {
    package let request: OpenRequest
    package let number: StoreNumber
    let type: StoreType
    let busyTimeout: Duration
    let saverLock = FairLock()
    /// Used only by the holder of the write lock.
    let writer: Mutex<RowWriter>
    private let current: Mutex<State?>
    /// The lowest key that has never been assigned, by root entity.
    private let nextKeys: Mutex<[EntityNumber: Int64]>
    /// The file in which states outlive the process, or `nil` if the store has no file.
    let file: AtomicFile?

    /// A committed state.
    struct State: Sendable {
        var table: StoreTable
        var metadata: StoreMetadata
        var sharesKeys: Bool
        var saves: SaveRecord
        var generation: StoreGeneration
        /// Whether the metadata records the entities of the model that the store was opened with, as after a
        /// save of this store. Another process may have used another model.
        var recordsEntities = false

        init(_ content: AtomicContent, generation: UInt64) {
            table = content.table
            metadata = content.metadata
            sharesKeys = content.sharesKeys
            saves = content.saves
            self.generation = StoreGeneration(generation)
        }
    }

    /// Creates a store with a content.
    ///
    /// - Parameters:
    ///   - request: the request that the store is opened with.
    ///   - number: the store's number in the IDs of its rows.
    ///   - content: the newest content of the store.
    ///   - busyTimeout: the maximum time that a save waits for others.
    ///   - file: the file that the content was read from, or `nil` if the store has no file.
    package init(
        _ request: OpenRequest, number: StoreNumber, content: AtomicContent,
        busyTimeout: Duration, file: AtomicFile? = nil
    ) {
        self.request = request
        self.number = number
        self.busyTimeout = busyTimeout
        self.file = file
        type = content.metadata.type
        writer = Mutex(RowWriter(store: number))
        current = Mutex(State(content, generation: content.generation))
        nextKeys = Mutex(content.nextKeys)
    }

    /// Returns the newest state that this process knows.
    ///
    /// - Throws: `.closed`.
    func knownState() throws(StoreError) -> State {
        guard let state = current.withLock({ $0 }) else { throw .closed(request.location) }
        return state
    }

    /// Returns the newest committed state, including saves by other processes.
    ///
    /// Asks the file system whether the file has changed, and reads it if so.
    ///
    /// - Throws: `.closed`; the errors of reading the file.
    func newestState() throws(StoreError) -> State {
        let known = try knownState()
        guard let file else { return known }
        try file.readIfChanged { content throws(StoreError) in try adopt(content) }
        return try knownState()
    }

    /// Adopts content that another process saved as the current state.
    private func adopt(_ content: AtomicContent) throws(StoreError) {
        let known = try knownState()
        guard content.metadata.identifier == known.metadata.identifier else {
            throw .fileReplaced(
                request.location, path: request.location.fileURL?.path ?? "")
        }
        nextKeys.withLock { $0.merge(content.nextKeys, uniquingKeysWith: max) }
        // The file may have been written by a program that does not know generations.
        let generation = max(content.generation, known.generation.rawValue + 1)
        publish(State(content, generation: generation))
    }

    /// Makes a state the current one, unless the store was closed.
    func publish(_ state: State) {
        current.withLock { current in
            if current != nil { current = state }
        }
    }

    /// Returns the content of a file with this state.
    func content(of state: State) -> AtomicContent {
        var content = AtomicContent(
            table: state.table, metadata: state.metadata, nextKeys: nextKeys.withLock { $0 },
            sharesKeys: state.sharesKeys, generation: state.generation.rawValue)
        content.saves = state.saves
        return content
    }

    /// Reserves keys above all keys that were ever given or occur in the state. Returns `nil` if
    /// not enough keys are left.
    func takeKeys(_ count: Int, root: EntityNumber, in state: State) -> Range<Int64>? {
        nextKeys.withLock { nextKeys in
            let roots = state.sharesKeys ? state.table.schema.rootEntities : [root]
            let highest = roots.map(state.table.highestKey(root:)).max() ?? 0
            let (above, isLast) = highest.addingReportingOverflow(1)
            let first = roots.reduce(max(1, above)) { max($0, nextKeys[$1] ?? 1) }
            let (end, overflow) = first.addingReportingOverflow(Int64(count))
            guard !isLast, !overflow else { return nil }
            nextKeys[root] = end
            return first..<end
        }
    }

    /// Records that the keys of these objects have been assigned, by this store or by the store that it was
    /// copied from.
    func noteKeys(of ids: [ObjectID]) {
        nextKeys.withLock { nextKeys in
            for id in ids where id.key >= nextKeys[id.rootEntity] ?? 1 {
                nextKeys[id.rootEntity] = id.key == .max ? .max : id.key + 1
            }
        }
    }

    /// Reads the keys that were reserved by saves without a commit, including those of other
    /// processes.
    ///
    /// - Precondition: the caller holds the file's lock.
    private func adoptKeyRecord() throws(StoreError) {
        guard let file else { return }
        let recorded = try file.keyRecord.read(of: try knownState().metadata.identifier)
        nextKeys.withLock { nextKeys in
            for (name, key) in recorded {
                guard let entity = request.model.entity(named: name) else { continue }
                nextKeys[entity.number] = max(key, nextKeys[entity.number] ?? 1)
            }
        }
    }

    /// Records the keys that were reserved by a save that does not commit. If the medium refuses
    /// the write, only this process remembers the keys.
    ///
    /// - Precondition: the caller holds the file's lock.
    func keepKeys(of identifier: String) {
        guard let file else { return }
        var named: [String: Int64] = [:]
        for (entity, key) in nextKeys.withLock({ $0 }) {
            if let name = request.model.entity(numbered: entity)?.name { named[name] = key }
        }
        try? file.keyRecord.write(named, of: identifier)
    }

    // MARK: For the engine

    /// Implements ``PersistentStore/metadata()``.
    package func metadata() throws(StoreError) -> StoreMetadata { try newestState().metadata }

    /// Implements ``PersistentStore/snapshot()``.
    package func snapshot() throws(StoreError) -> AtomicSnapshot {
        AtomicSnapshot(store: self, state: try newestState())
    }

    /// Implements ``PersistentStore/beginSave()``.
    package func beginSave() throws(StoreError) -> AtomicSaveTransaction {
        if request.isReadOnly { throw .readOnly(request.location) }
        _ = try knownState()
        try StoreDeadline.check()
        let deadline = StoreDeadline.limiting(.now + busyTimeout)
        try saverLock.take(until: deadline).requireTaken(request.location, waited: busyTimeout)
        do throws(StoreError) {
            let fileLock = try file?.lock(until: deadline, waited: busyTimeout)
            // Get the stamp before the state, so that the commit notices a change in between.
            let stamp = try file?.stamp()
            let base = try newestState()
            try adoptKeyRecord()
            return AtomicSaveTransaction(
                store: self, base: base, stamp: stamp, fileLock: fileLock)
        } catch {
            saverLock.release()
            throw error
        }
    }

    /// Implements ``PersistentStore/outcome(of:)``.
    package func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        let save = try beginSave()
        defer { save.rollback() }
        try file?.makeDurable()
        return save.outcome(of: id)
    }

    /// Returns the number of bytes that the rows occupy in memory. Indexes and pairs are not
    /// counted.
    ///
    /// - Throws: `.closed`.
    public func rowByteCount() throws(StoreError) -> Int { try knownState().table.byteCount }

    /// Implements ``PersistentStore/close()``.
    package func close() {
        current.withLock { $0 = nil }
        file?.close()
    }

    /// Throws `.closed` if ``close()`` was called.
    func checkOpen() throws(StoreError) {
        if current.withLock({ $0 == nil }) { throw .closed(request.location) }
    }
}
