import CairnEngineKit
import CairnFiles
import CairnModel
import CairnRows
import CairnStore

/// A save of a ``ReferredStore``: a new state in memory, committed as one record of the service.
final class ReferredSave: SaveTransaction {
    /// The state before the save.
    private(set) var base: ReferredStore.State
    private let store: ReferredStore
    private let log: ServiceLog
    private var progress: SaveProgress<Prepared>
    private var bindings: ReferenceBindings
    /// The write lock, or `nil` after the save has ended.
    private var lock: FileLock?

    private struct Prepared {
        var state: ReferredStore.State
        var recomputed = RowBatch()
        /// The record to append. Empty if the save changes nothing.
        var record: [UInt8] = []
    }

    init(
        of store: ReferredStore, _ log: ServiceLog, _ base: ReferredStore.State, _ lock: FileLock
    ) {
        self.store = store
        self.log = log
        self.base = base
        self.lock = lock
        bindings = store.bindings()
        progress = SaveProgress(of: ReferredStore.type, at: store.request.location)
    }

    deinit { rollback() }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        try progress.requireRunning("reserve keys")
        try store.requireOpen()
        return try base.content.reserveKeys(counts)
    }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        try progress.beginPreparing()
        try store.requireOpen()
        var prepared = Prepared(state: base)
        try bind(request)
        let written = try prepared.state.content.write(request)
        if request.isEmpty, request.id == nil {
            prepared.state = base
        } else {
            prepared.recomputed = written.recomputed
            prepared.record = ChecksummedFrame.frame(written.record.bytes)
            prepared.state.end += prepared.record.count
        }
        progress.finishPreparing(prepared)
    }

    private func bind(_ request: SaveRequest) throws(StoreError) {
        let snapshot = ContentSnapshot(base.content, requireOpen: store.requireOpen)
        let stored = { (id: ObjectID) throws(StoreError) in try snapshot.row(for: id) }
        try request.requireWellFormed(for: ReferredStore.type, at: store.request.location)
        try HeldEntities(store.request).require(request, layouts: store.request.layouts)
        let conflicts = try request.rowConflicts(stored: stored)
        if !conflicts.isEmpty { throw .rowConflicts(conflicts) }
        try bindings.bind(request, stored: stored)
    }

    func commit() throws(StoreError) -> SaveOutcome {
        let prepared = try progress.beginCommit()
        try store.requireOpen()
        if !prepared.record.isEmpty {
            try log.append(prepared.record, at: base.end)
            store.publish(prepared.state)
        }
        bindings.keep()
        rollback()
        return SaveOutcome(
            generation: prepared.state.content.generation, recomputed: prepared.recomputed)
    }

    func rollback() {
        guard progress.end() else { return }
        bindings.release()
        lock = nil
    }
}
