import CairnModel
import CairnStore
import CairnThreads
import Synchronization

/// What engines share that hold a whole store in memory: its current state and its write lock.
///
/// With a file, each save writes all of it again, and what other processes save is read before it
/// is asked for.
///
/// A ``WholeStoreEngine`` holds one of these for each store that is open.
public final class AtomicStore: Sendable {
    package let request: OpenRequest
    package let number: StoreNumber
    let type: StoreType
    let busyTimeout: Duration
    let saverLine = FairLock()
    /// Used by the holder of the write lock only.
    let writer: Mutex<RowWriter>
    private let current: Mutex<State?>
    /// The first key that was never given, by root entity.
    private let nextKeys: Mutex<[EntityNumber: Int64]>
    /// Where the states outlive the process. `nil` means nowhere.
    let file: AtomicFile?

    /// One committed state.
    struct State: Sendable {
        var table: StoreTable
        var metadata: StoreMetadata
        var sharesKeys: Bool
        var saves: SaveRecord
        var generation: StoreGeneration

        init(_ content: AtomicContent, generation: UInt64) {
            table = content.table
            metadata = content.metadata
            sharesKeys = content.sharesKeys
            saves = content.saves
            self.generation = StoreGeneration(generation)
        }
    }

    /// Creates a store of a content.
    ///
    /// - Parameters:
    ///   - number: the store's number in the rows' IDs.
    ///   - busyTimeout: how long a save waits for others.
    ///   - file: the file that the content was read from. `nil` if the store has no file.
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

    /// The newest state that this process knows.
    ///
    /// - Throws: `.closed`.
    func knownState() throws(StoreError) -> State {
        guard let state = current.withLock({ $0 }) else { throw .closed(request.location) }
        return state
    }

    /// The newest committed state, of other processes too.
    ///
    /// Asks the file system whether the file has changed, and reads it if it has.
    ///
    /// - Throws: `.closed`; what reading the file throws.
    func newestState() throws(StoreError) -> State {
        let known = try knownState()
        guard let file else { return known }
        try file.readIfChanged { content throws(StoreError) in try adopt(content) }
        return try knownState()
    }

    /// Makes what another process saved the current state.
    private func adopt(_ content: AtomicContent) throws(StoreError) {
        let known = try knownState()
        guard content.metadata.identifier == known.metadata.identifier else {
            throw .fileReplaced(
                request.location, path: request.location.fileURL?.path ?? "")
        }
        nextKeys.withLock { $0.merge(content.nextKeys, uniquingKeysWith: max) }
        // A program that knows no generations may have written the file.
        let generation = max(content.generation, known.generation.rawValue + 1)
        publish(State(content, generation: generation))
    }

    /// Makes a state the current one, unless the store was closed.
    func publish(_ state: State) {
        current.withLock { current in
            if current != nil { current = state }
        }
    }

    /// What a file of this state holds.
    func content(of state: State) -> AtomicContent {
        var content = AtomicContent(
            table: state.table, metadata: state.metadata, nextKeys: nextKeys.withLock { $0 },
            sharesKeys: state.sharesKeys, generation: state.generation.rawValue)
        content.saves = state.saves
        return content
    }

    /// Takes keys above all that were ever taken and all that the state has. `nil` if none are left.
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

    /// Notes that these objects' keys were given, by this store or by another that was copied.
    func noteKeys(of ids: [ObjectID]) {
        nextKeys.withLock { nextKeys in
            for id in ids where id.key >= nextKeys[id.rootEntity] ?? 1 {
                nextKeys[id.rootEntity] = id.key == .max ? .max : id.key + 1
            }
        }
    }

    /// Takes over what saves that were not committed say of keys, of other processes too.
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

    /// Writes down the keys that were taken by a save that does not commit. Where the medium
    /// refuses, this process remembers them, and they die with it.
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

    /// See ``PersistentStore/metadata()``.
    package func metadata() throws(StoreError) -> StoreMetadata { try newestState().metadata }

    /// See ``PersistentStore/snapshot()``.
    package func snapshot() throws(StoreError) -> AtomicSnapshot {
        AtomicSnapshot(store: self, state: try newestState())
    }

    /// See ``PersistentStore/beginSave()``.
    package func beginSave() throws(StoreError) -> AtomicSaveTransaction {
        if request.isReadOnly { throw .readOnly(request.location) }
        _ = try knownState()
        try StoreDeadline.check()
        let deadline = StoreDeadline.limiting(.now + busyTimeout)
        try saverLine.take(until: deadline).requireTaken(request.location, waited: busyTimeout)
        do throws(StoreError) {
            let fileLock = try file?.lock(until: deadline, waited: busyTimeout)
            // Before the state: a change in between shows at the commit.
            let stamp = try file?.stamp()
            let base = try newestState()
            try adoptKeyRecord()
            return AtomicSaveTransaction(
                store: self, base: base, stamp: stamp, fileLock: fileLock)
        } catch {
            saverLine.give()
            throw error
        }
    }

    /// See ``PersistentStore/outcome(of:)``.
    package func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        let save = try beginSave()
        defer { save.rollback() }
        try file?.makeDurable()
        return save.outcome(of: id)
    }

    /// Returns the bytes that the rows take in memory. What finds them, indexes and pairs, is not
    /// counted.
    ///
    /// - Throws: `.closed`.
    public func rowByteCount() throws(StoreError) -> Int { try knownState().table.byteCount }

    /// See ``PersistentStore/close()``.
    package func close() {
        current.withLock { $0 = nil }
        file?.close()
    }

    /// Throws `.closed` after ``close()``.
    func checkOpen() throws(StoreError) {
        if current.withLock({ $0 == nil }) { throw .closed(request.location) }
    }
}
