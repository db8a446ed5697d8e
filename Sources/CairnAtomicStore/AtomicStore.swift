import CairnEngineKit
import CairnFiles
import CairnModel
import CairnRows
import CairnStore
import CairnThreads
import Foundation
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
    /// The newest state that this process knows, or `nil` after the store was closed.
    private let current: Mutex<StoreContent?>
    /// The file in which states outlive the process, or `nil` if the store has no file.
    let file: AtomicFile?

    /// Creates a store with a content.
    ///
    /// - Parameters:
    ///   - request: the request that the store is opened with.
    ///   - content: the newest content of the store.
    ///   - busyTimeout: the maximum time that a save waits for others.
    ///   - file: the file that the content was read from, or `nil` if the store has no file.
    package init(
        _ request: OpenRequest, content: StoreContent, busyTimeout: Duration,
        file: AtomicFile? = nil
    ) {
        self.request = request
        self.busyTimeout = busyTimeout
        self.file = file
        number = content.number
        type = content.metadata.type
        current = Mutex(content)
    }

    /// Returns the newest state that this process knows.
    private func knownState() throws(StoreError) -> StoreContent {
        guard let state = current.withLock({ $0 }) else { throw .closed(request.location) }
        return state
    }

    /// Returns the newest committed state, including saves by other processes.
    ///
    /// Asks the file system whether the file has changed, and reads it if so.
    func newestState() throws(StoreError) -> StoreContent {
        let known = try knownState()
        guard let file else { return known }
        try file.readIfChanged { content throws(StoreError) in try adopt(content) }
        return try knownState()
    }

    /// Adopts content that another process saved as the current state.
    private func adopt(_ content: StoreContent) throws(StoreError) {
        let known = try knownState()
        guard content.metadata.identifier == known.metadata.identifier else {
            throw .fileReplaced(
                request.location, path: request.location.fileURL?.path ?? "")
        }
        var content = content
        content.memory = known.memory
        content.noteNextKeys(known.nextKeys)
        // The file may have been written by a program that does not know generations.
        content.generation = max(content.generation, known.generation + 1)
        publish(content)
    }

    /// Makes a state the current one, unless the store was closed.
    func publish(_ state: StoreContent) {
        current.withLock { current in
            if current != nil { current = state }
        }
    }

    /// Returns the keys that were reserved by saves without a commit, including those of other
    /// processes.
    ///
    private func recordedKeys(of identifier: String) throws(StoreError) -> [EntityNumber: Int64] {
        guard let file else { return [:] }
        var keys: [EntityNumber: Int64] = [:]
        for (name, key) in try file.keyRecord.read(of: identifier) {
            if let entity = request.model.entity(named: name) { keys[entity.number] = key }
        }
        return keys
    }

    /// Keeps the keys that were reserved by a save that does not commit. If the medium refuses
    /// to record them, only this process remembers the keys.
    ///
    /// - Precondition: the caller holds the write lock, and the file's lock.
    func keepKeys(of base: StoreContent) {
        current.withLock { $0?.noteNextKeys(base.nextKeys) }
        try? file?.keyRecord.write(base.nextKeysByName, of: base.metadata.identifier)
    }

    // MARK: For the engine

    /// Implements ``PersistentStore/metadata()``.
    package func metadata() throws(StoreError) -> StoreMetadata { try newestState().metadata }

    /// Implements ``PersistentStore/snapshot()``.
    package func snapshot() throws(StoreError) -> any StoreSnapshot {
        try newestState().snapshot(requireOpen: requireOpen)
    }

    /// Implements ``PersistentStore/stateToCopy()``.
    package func stateToCopy() throws(StoreError) -> (any StateToCopy)? {
        guard file != nil else { return nil }
        var state = try newestState()
        // Otherwise, the copy would assign keys that a save has taken without a commit.
        state.noteNextKeys(try recordedKeys(of: state.metadata.identifier))
        return AtomicStateToCopy(state, of: self)
    }

    /// Implements ``PersistentStore/beginSave()``.
    package func beginSave() throws(StoreError) -> AtomicSaveTransaction {
        if request.isReadOnly { throw .readOnly(request.location) }
        _ = try knownState()
        try StoreDeadline.check()
        let deadline = StoreDeadline.limiting(.now + busyTimeout)
        try saverLock.take(until: deadline).requireTaken(request.location, waited: busyTimeout)
        do {
            let fileLock = try file?.lock(until: deadline, waited: busyTimeout)
            // Get the stamp before the state, so that the commit notices a change in between.
            let stamp = try file?.stamp()
            var base = try newestState()
            base.noteNextKeys(try recordedKeys(of: base.metadata.identifier))
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
    package func rowByteCount() throws(StoreError) -> Int { try knownState().table.byteCount }

    /// Implements ``PersistentStore/close()``.
    package func close() {
        current.withLock { $0 = nil }
        file?.close()
    }

    /// Throws `.closed` if ``close()`` was called.
    @Sendable func requireOpen() throws(StoreError) {
        if current.withLock({ $0 == nil }) { throw .closed(request.location) }
    }
}

/// A state of a store that has a file. Its content stays in memory while it is held.
private final class AtomicStateToCopy: StateToCopy {
    private let state: StoreContent
    private let store: AtomicStore

    init(_ state: StoreContent, of store: AtomicStore) {
        self.state = state
        self.store = store
    }

    var byteCount: Int64 { Int64(state.table.byteCount) }

    func write(
        to location: StoreLocation, reporting report: (Int64) throws(StoreError) -> Void
    ) throws(StoreError) {
        try store.requireOpen()
        try report(0)
        guard let file = store.file else { return }
        let copy = try file.prepare(state, toNew: location)
        try report(byteCount)
        // The store's file first: if there is one already, its history stays as it is.
        if try StoreError.onFiles(try copy.create()) != nil {
            return try file.writeHistory(of: state, besideNew: location)
        }
        throw .fileFailure(
            FileFailure(
                operation: "rename to", path: location.fileURL?.path ?? "", code: EEXIST))
    }
}
