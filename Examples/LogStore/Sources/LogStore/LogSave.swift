import CairnEngineKit
import CairnFiles
import CairnModel
import CairnStore

/// A save: it prepares a new state in memory, and commits it as one record of the log.
final class LogSave: SaveTransaction {
    private let store: LogStore
    private let log: RecordFile
    /// The state before the save, including the keys that it has reserved.
    private var base: LogStore.State
    private var hasTakenKeys = false
    private var progress: SaveProgress<Prepared>
    /// The lock, or `nil` after the save has ended.
    private var lock: FileLock?

    private struct Prepared {
        let content: StoreContent
        let outcome: SaveOutcome
        /// The record to append, or `nil` if the save changes nothing.
        let record: ChangeRecord?
    }

    init(of store: LogStore, _ log: RecordFile, _ base: LogStore.State, _ lock: FileLock) {
        self.store = store
        self.log = log
        self.base = base
        self.lock = lock
        progress = SaveProgress(of: LogStore.type, at: store.request.location)
    }

    deinit { rollback() }

    func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        try progress.requireRunning("reserve keys")
        try store.requireOpen()
        let keys = try base.content.reserveKeys(counts)
        hasTakenKeys = hasTakenKeys || !keys.isEmpty
        return keys
    }

    func prepare(_ request: SaveRequest) throws(StoreError) {
        try progress.beginPreparing()
        try store.requireOpen()
        var next = base.content
        let (record, outcome) = try next.write(request)
        progress.finishPreparing(Prepared(content: next, outcome: outcome, record: record))
    }

    /// Returns the outcome of a named save according to the log, after making the log durable.
    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try log.makeDurable(upTo: base.end)
        return base.content.saves.outcome(of: id)
    }

    func commit() throws(StoreError) -> SaveOutcome {
        let prepared = try progress.beginCommit()
        try store.requireOpen()
        if let record = prepared.record {
            do {
                let end = try log.append(record, at: base.end)
                store.publish(LogStore.State(content: prepared.content, end: end))
            } catch {
                // The record may be in the log, so nothing else may be written there.
                if case .commitOutcomeUnknown = error { hasTakenKeys = false }
                throw error
            }
            hasTakenKeys = false
        }
        rollback()
        return prepared.outcome
    }

    /// Releases the lock. Reserved keys are never used again, because the log records them.
    func rollback() {
        guard progress.end() else { return }
        if hasTakenKeys {
            base.end = (try? log.append(base.content.keysRecord, at: base.end)) ?? base.end
            store.publish(base)
        }
        lock = nil
    }
}
