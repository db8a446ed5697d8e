import CairnEngineKit
import CairnFiles
import CairnModel
import CairnRows
import CairnStore

/// A save of an ``AtomicStore``. It changes a copy of the store's table, and then makes the copy
/// the current state.
package final class AtomicSaveTransaction: SaveTransaction {
    private struct Prepared {
        var state: StoreContent
        /// The computed rows and the file with the state, if `prepare` has prepared the only request.
        var recomputed = RowBatch()
        var file: PendingFile?
        /// Whether the file is made at the commit, because there may be further requests.
        var isGroup = false
        /// The states before each request of a group, except for the parts of a save. A state shares what
        /// did not change with others.
        var groupStates: [StoreContent] = []
    }

    private let store: AtomicStore
    /// The state before the save, including the keys that the save has reserved.
    private var base: StoreContent
    /// The stamp of the file when the save began, or `nil` if the store has no file.
    private let stamp: FileStamp?
    private var fileLock: StoreLock?
    private var progress: SaveProgress<Prepared>
    /// Whether keys were reserved that no file of the store records yet.
    private var hasTakenKeys = false

    /// Begins a save.
    ///
    /// - Precondition: the caller holds the store's write lock, which the transaction releases. If
    ///   the store is a file, `fileLock` is the lock that excludes other processes.
    init(store: AtomicStore, base: StoreContent, stamp: FileStamp?, fileLock: StoreLock?) {
        self.stamp = stamp
        self.store = store
        self.base = base
        self.fileLock = fileLock
        progress = SaveProgress(of: store.type, at: store.request.location)
    }

    deinit { rollback() }

    package func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        try progress.requireRunning("reserve keys")
        try store.requireOpen()
        let keys = try base.reserveKeys(counts)
        hasTakenKeys = hasTakenKeys || !keys.isEmpty
        return keys
    }

    package func prepare(_ request: SaveRequest) throws(StoreError) {
        try progress.beginPreparing()
        try store.requireOpen()
        var prepared = Prepared(state: base)
        prepared.recomputed = try prepared.state.apply(request)
        prepared.state = try prepared.state.recordingEntities(of: store.request)
        if !request.changesNothing { prepared.file = try store.file?.prepare(prepared.state) }
        progress.finishPreparing(prepared)
    }

    package func prepareNext(_ request: SaveRequest) throws(StoreError) -> RowBatch {
        let before = try progress.beginPreparingNext()
        do {
            try store.requireOpen()
            var next = before ?? Prepared(state: base)
            next.isGroup = true
            if request.part == nil { next.groupStates.append(next.state) }
            let recomputed = try next.state.apply(request)
            next.state = try next.state.recordingEntities(of: store.request)
            progress.finishPreparing(next)
            return recomputed
        } catch {
            if request.part == nil { progress.goBack(to: before) }
            throw error
        }
    }

    package func discardLast() throws(StoreError) {
        try store.requireOpen()
        var before = try progress.requireLastOfGroup()
        before.state = before.groupStates.removeLast()
        progress.goBack(to: before.groupStates.isEmpty ? nil : before)
    }

    package func members(
        _ relationship: Relationship, ofDeleted owners: [ObjectID]
    ) throws(StoreError) -> RelatedIDs? {
        try store.requireOpen()
        let state = try progress.requirePrepared("read members").state
        return state.members(relationship, ofDeleted: owners)
    }

    /// Returns the answer about a named save in the state that this save is based on.
    func outcome(of id: SaveID) -> CommitOutcome { base.saves.outcome(of: id) }

    package func commit() throws(StoreError) -> SaveOutcome {
        let prepared = try progress.beginCommit()
        let next = prepared.state
        try store.requireOpen()
        let pending =
            try prepared.isGroup ? store.file?.prepare(next) : prepared.file
        if let pending, let file = store.file, let stamp {
            try file.writeHistory(of: next, after: base)
            do {
                try file.replace(with: pending, ifStill: stamp) { store.publish(next) }
            } catch {
                // Another program's file may have a temporary name now. The next save restores it,
                // because it finds the lock file that is kept here.
                if case .commitOutcomeUnknown = error { fileLock?.leave() }
                throw error
            }
            hasTakenKeys = false
        } else {
            store.publish(next)
        }
        rollback()
        return SaveOutcome(
            generation: StoreGeneration(next.generation), recomputed: prepared.recomputed)
    }

    package func rollback() {
        // The temporary file is removed here, unless it has replaced the store's file, and then the
        // locks are released.
        guard progress.end() else { return }
        if hasTakenKeys { store.keepKeys(of: base) }
        fileLock = nil
        store.saverLock.release()
    }
}

/// A store that is written as a whole keeps its ``SaveRecord`` as a value of its metadata.
/// Therefore every file format can store the record, and programs that do not know it leave it
/// unchanged.
extension StoreMetadata {
    /// The name of the value. If an application sets a value with this name, it is lost.
    static let saveRecordName = "CairnNamedSaves"

    /// The metadata as callers see it, without the record and the position of the history.
    package var withoutRecords: StoreMetadata {
        var metadata = self
        metadata.values[Self.saveRecordName] = nil
        metadata.values[Self.historyName] = nil
        return metadata
    }
}

extension StoreContent {
    /// Returns the content with all entities of a request in its metadata, because a file is written with
    /// the model that its store was opened with.
    func recordingEntities(of request: OpenRequest) throws(StoreError) -> StoreContent {
        var content = self
        if !recordsEntities {
            try content.metadata.addEntities(of: request)
            content.recordsEntities = true
        }
        return content
    }

    /// The content as a form writes it. If the store never had a named save, the record is left
    /// out, and so is the position of the history if the store keeps none.
    var withRecordsInMetadata: StoreContent {
        var content = self
        content.metadata.values[StoreMetadata.saveRecordName] =
            saves.isEmpty ? nil : .data(saves.data)
        content.metadata.values[StoreMetadata.historyName] = historyInMetadata
        return content
    }

    /// Moves the record out of the metadata that a form has read.
    mutating func takeSaveRecord(at location: StoreLocation) throws(StoreError) {
        let name = StoreMetadata.saveRecordName
        guard let value = metadata.values.removeValue(forKey: name) else { return }
        guard case .data(let data) = value, let record = SaveRecord(data) else {
            throw .corrupt(
                location, location: "the metadata “\(name)”",
                detail: "it is not a list of the names of saves")
        }
        saves = record
    }
}
