import CairnEngineKit
import CairnFiles
import CairnModel
import CairnRows
import CairnStore

/// A save: it prepares a new state in memory, and commits it as one record of the log.
final class LogSave: SaveTransaction {
    private let store: LogStore
    private let log: LogFile
    /// The state before the save, including the keys that it has reserved.
    private var base: LogStore.State
    private var hasTakenKeys = false
    private var progress: SaveProgress<Prepared>
    /// The lock, or `nil` after the save has ended.
    private var lock: FileLock?

    private struct Prepared {
        let state: LogStore.State
        let outcome: SaveOutcome
        /// The record to append. Empty if the save changes nothing.
        let record: [UInt8]
    }

    init(of store: LogStore, _ log: LogFile, _ base: LogStore.State, _ lock: FileLock) {
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
        var next = base
        let (record, outcome) = try next.content.write(request)
        let bytes = record.map { ChecksummedFrame.frame($0.bytes) } ?? []
        next.end += bytes.count
        progress.finishPreparing(Prepared(state: next, outcome: outcome, record: bytes))
    }

    /// Returns the outcome of a named save according to the log, after making the log durable.
    func outcome(of id: SaveID) throws(StoreError) -> CommitOutcome {
        try log.append([], at: base.end)
        return base.content.saves.outcome(of: id)
    }

    func commit() throws(StoreError) -> SaveOutcome {
        let prepared = try progress.beginCommit()
        try store.requireOpen()
        if !prepared.record.isEmpty {
            try log.file.requireName(of: store.request.location)
            try log.append(prepared.record, at: base.end)
            hasTakenKeys = false
            store.publish(prepared.state)
            do throws(StoreError) {
                try log.file.requireName(of: store.request.location)
            } catch {
                // A file that lost its name before the commit contains the save, so the outcome is unknown.
                throw .commitOutcomeUnknown(
                    EngineFailure(
                        type: LogStore.type, location: log.location, operation: "commit", code: 0,
                        message: "\(error)"))
            }
        }
        rollback()
        return prepared.outcome
    }

    /// Releases the lock. Reserved keys are never used again, because the log records them.
    func rollback() {
        guard progress.end() else { return }
        if hasTakenKeys {
            let record = ChecksummedFrame.frame(base.content.keysRecord.bytes)
            if (try? log.append(record, at: base.end)) != nil { base.end += record.count }
            store.publish(base)
        }
        lock = nil
    }
}
